#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json_write.h"
#include "cdmpp/core/text.h"
#include "models/safetensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Data starts at a multiple of this in the file, which suits every vector unit when it is mapped.
 */
enum { DATA_ALIGNMENT = 64 };

static size_t values_of(const struct cdm_tensor *tensor)
{
    size_t n = 1;
    for (int32_t d = 0; d < tensor->n_dims; d++)
        n *= (size_t)tensor->shape[d];
    return n;
}

/* Widest types first, else as given. */
static const struct cdm_tensor **in_file_order(const struct cdm_tensor *tensors, size_t n)
{
    const struct cdm_tensor **order = cdm_alloc(n + 1, sizeof(struct cdm_tensor *));
    size_t placed = 0;
    for (size_t size = 8; size >= 1; size /= 2)
        for (size_t i = 0; i < n; i++)
            if (cdm_dtype_size(tensors[i].dtype) == size)
                order[placed++] = &tensors[i];
    return order;
}

static void put_header(struct cdm_str *out, const struct cdm_tensor *const *order, size_t n,
                       const struct cdm_meta *meta)
{
    cdm_json_begin(out, '{');
    if (meta && meta->n) {
        cdm_json_name(out, "__metadata__");
        cdm_json_begin(out, '{');
        for (size_t i = 0; i < meta->n; i++) {
            cdm_json_name(out, meta->items[i].key);
            cdm_json_put_text(out, meta->items[i].value);
        }
        cdm_json_end(out, '}');
    }
    size_t offset = 0;
    for (size_t i = 0; i < n; i++) {
        size_t end = offset + values_of(order[i]) * cdm_dtype_size(order[i]->dtype);
        cdm_json_name(out, order[i]->name);
        cdm_json_begin(out, '{');
        cdm_json_name(out, "dtype");
        cdm_json_put_text(out, cdm_dtype_name(order[i]->dtype));
        cdm_json_name(out, "shape");
        cdm_json_begin(out, '[');
        for (int32_t d = 0; d < order[i]->n_dims; d++)
            cdm_json_put_int(out, order[i]->shape[d]);
        cdm_json_end(out, ']');
        cdm_json_name(out, "data_offsets");
        cdm_json_begin(out, '[');
        cdm_json_put_int(out, (int64_t)offset);
        cdm_json_put_int(out, (int64_t)end);
        cdm_json_end(out, ']');
        cdm_json_end(out, '}');
        offset = end;
    }
    cdm_json_end(out, '}');
    while ((out->length + sizeof(uint64_t)) % DATA_ALIGNMENT)
        cdm_str_putc(out, ' ');
}

static enum cdm_status put_bytes(struct cdm_writer *writer, const void *bytes, size_t n,
                                 struct cdm_error *err)
{
    if (n && fwrite(bytes, 1, n, writer->file) != n)
        return cdm_fail(err, CDM_IO, "cannot write: %s", strerror(errno));
    return CDM_OK;
}

enum cdm_status cdm_tensors_write(const char *path, const struct cdm_tensor *tensors, size_t n,
                                  const struct cdm_meta *meta, struct cdm_error *err)
{
    struct cdm_writer writer = {0};
    struct cdm_str header = {0};
    const struct cdm_tensor **order = in_file_order(tensors, n);
    put_header(&header, order, n, meta);
    uint64_t length = header.length;
    enum cdm_status status;
    if (length > CDM_TENSOR_MAX_HEADER)
        status = cdm_fail(err, CDM_BUG, "a safetensors header of more than 1 MiB");
    else
        status = cdm_writer_open(&writer, path, err);
    if (status == CDM_OK)
        status = put_bytes(&writer, &length, sizeof length, err);
    if (status == CDM_OK)
        status = put_bytes(&writer, header.data, header.length, err);
    for (size_t i = 0; i < n && status == CDM_OK; i++)
        status = put_bytes(&writer, order[i]->data,
                           values_of(order[i]) * cdm_dtype_size(order[i]->dtype), err);
    if (status == CDM_OK)
        status = cdm_writer_close(&writer, err);
    cdm_writer_abandon(&writer);
    cdm_str_release(&header);
    free(order);
    return status;
}
