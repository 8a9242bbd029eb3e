/* Arrays with names in one file: the safetensors layout.
 *
 *   1. 8 bytes: length n of the header, unsigned, little-endian
 *   2. n bytes: JSON, {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 *      "__metadata__": {"KEY": "TEXT", ...}}, padded with spaces
 *   3. the data, little-endian, rows first; offsets count from here
 *
 * Such a file holds numbers and texts, no code. It may come from a stranger, so reading checks
 * everything before it gives anything out: header length, JSON, types, that every array has
 * exactly the bytes of its shape, that arrays lie in the file one after the other without overlap,
 * gap or rest, that each is aligned for its type, and that no name or key occurs twice. */
#ifndef CDMPP_MODELS_SAFETENSORS_H
#define CDMPP_MODELS_SAFETENSORS_H

#include "cdmpp/core/error.h"
#include "models/meta.h"

#include <stddef.h>
#include <stdint.h>

enum {
    CDM_TENSOR_MAX_DIMS = 8,
    CDM_TENSOR_MAX_HEADER = 1 << 20, /* bytes */
    CDM_TENSOR_MAX_META = 4096,      /* keys of __metadata__ */
};

enum cdm_dtype {
    CDM_DTYPE_BOOL,
    CDM_DTYPE_U8,
    CDM_DTYPE_I8,
    CDM_DTYPE_F16,
    CDM_DTYPE_BF16,
    CDM_DTYPE_I16,
    CDM_DTYPE_U16,
    CDM_DTYPE_F32,
    CDM_DTYPE_I32,
    CDM_DTYPE_U32,
    CDM_DTYPE_F64,
    CDM_DTYPE_I64,
    CDM_DTYPE_U64,
    CDM_N_DTYPES,
};

/* The name in the file ("F32") and the bytes of one value. */
const char *cdm_dtype_name(enum cdm_dtype dtype);
size_t cdm_dtype_size(enum cdm_dtype dtype);

struct cdm_tensor {
    const char *name;
    enum cdm_dtype dtype;
    int32_t n_dims; /* 0: one value */
    int64_t shape[CDM_TENSOR_MAX_DIMS];
    const void *data; /* n_bytes, aligned for the type */
    size_t n_bytes;
    int64_t n_values;
};

/* An open file. Tensors and texts that it gives out live as long as it does. */
struct cdm_tensors;

/* Opens a regular file. A large one is mapped into memory: it must not be cut short by somebody
 * else while it is open (replacing it, as cdm_tensors_write() does, is fine). CDM_IO when it cannot
 * be read, CDM_BAD_INPUT when it is no such file. On success *tensors is the caller's, to be freed
 * with cdm_tensors_free(); on failure it is NULL. */
enum cdm_status cdm_tensors_open(const char *path, struct cdm_tensors **tensors,
                                 struct cdm_error *err) CDM_MUST_CHECK;

/* The same from memory, which must outlive *tensors and be aligned for doubles. */
enum cdm_status cdm_tensors_parse(const void *bytes, size_t size, struct cdm_tensors **tensors,
                                  struct cdm_error *err) CDM_MUST_CHECK;

/* NULL is fine. */
void cdm_tensors_free(struct cdm_tensors *tensors);

/* All tensors in the order of their data, and by name (NULL when there is none). */
size_t cdm_tensors_count(const struct cdm_tensors *tensors);
const struct cdm_tensor *cdm_tensors_at(const struct cdm_tensors *tensors, size_t i);
const struct cdm_tensor *cdm_tensors_find(const struct cdm_tensors *tensors, const char *name);

/* The texts of __metadata__. */
const struct cdm_meta *cdm_tensors_meta(const struct cdm_tensors *tensors);

/* The tensor `name`, which must be there with this type and shape; -1 in `shape` takes any size.
 * The message names what was expected and what is there. */
enum cdm_status cdm_tensors_get(const struct cdm_tensors *tensors, const char *name,
                                enum cdm_dtype dtype, int32_t n_dims, const int64_t *shape,
                                const struct cdm_tensor **tensor,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* CDM_BAD_INPUT, with the place, when an F32 or F64 tensor holds an infinity or NaN. */
enum cdm_status cdm_tensor_check_finite(const struct cdm_tensor *tensor,
                                        struct cdm_error *err) CDM_MUST_CHECK;

/* Writes a file, atomically. Of each tensor name, dtype, n_dims, shape and data are used. The data
 * of the widest types comes first, so that all are aligned, otherwise in the order given; the same
 * input gives the same bytes. */
enum cdm_status cdm_tensors_write(const char *path, const struct cdm_tensor *tensors, size_t n,
                                  const struct cdm_meta *meta,
                                  struct cdm_error *err) CDM_MUST_CHECK;

#endif
