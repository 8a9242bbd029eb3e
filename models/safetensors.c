#include "models/safetensors.h"

#include "cdmpp/core/alloc.h"
#include "cdmpp/core/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the data of safetensors files is used as it lies in the file, which is little-endian"
#endif

/* A file larger than this is mapped. Smaller ones are read, so that nobody can pull them away. */
enum { READ_AT_MOST = 32 << 20 };

static const struct {
    const char *name;
    size_t size;
} dtypes[CDM_N_DTYPES] = {
    [CDM_DTYPE_BOOL] = {"BOOL", 1}, [CDM_DTYPE_U8] = {"U8", 1},     [CDM_DTYPE_I8] = {"I8", 1},
    [CDM_DTYPE_F16] = {"F16", 2},   [CDM_DTYPE_BF16] = {"BF16", 2}, [CDM_DTYPE_I16] = {"I16", 2},
    [CDM_DTYPE_U16] = {"U16", 2},   [CDM_DTYPE_F32] = {"F32", 4},   [CDM_DTYPE_I32] = {"I32", 4},
    [CDM_DTYPE_U32] = {"U32", 4},   [CDM_DTYPE_F64] = {"F64", 8},   [CDM_DTYPE_I64] = {"I64", 8},
    [CDM_DTYPE_U64] = {"U64", 8},
};

struct cdm_tensors {
    struct cdm_tensor *items; /* [n], in the order of the data */
    struct cdm_tensor **by_name;
    size_t n;
    size_t capacity;
    struct cdm_arena arena; /* holds the names */
    struct cdm_meta meta;
    void *memory;  /* owned bytes of the file, or NULL */
    size_t mapped; /* length of the map that memory is, or 0 when it came from malloc */
};

/* The header while it is read. */
struct header {
    struct cdm_json_parser *parser;
    const char *data; /* first byte after the header */
    size_t size;      /* bytes of data */
    struct cdm_tensors *tensors;
};

const char *cdm_dtype_name(enum cdm_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t cdm_dtype_size(enum cdm_dtype dtype)
{
    return dtypes[dtype].size;
}

static enum cdm_status read_dtype(const struct header *h, struct cdm_json entry,
                                  struct cdm_tensor *tensor, struct cdm_error *err)
{
    struct cdm_view name;
    enum cdm_status status = cdm_json_field_string(h->parser, entry, "dtype", &name, err);
    if (status != CDM_OK)
        return status;
    for (int i = 0; i < CDM_N_DTYPES; i++)
        if (cdm_view_is(name, dtypes[i].name)) {
            tensor->dtype = (enum cdm_dtype)i;
            return CDM_OK;
        }
    return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" has the unknown type \"%.*s\"",
                    tensor->name, (int)(name.length < 20 ? name.length : 20), name.data);
}

static enum cdm_status read_shape(const struct header *h, struct cdm_json entry,
                                  struct cdm_tensor *tensor, struct cdm_error *err)
{
    struct cdm_json shape;
    enum cdm_status status = cdm_json_field_array(h->parser, entry, "shape", &shape, err);
    if (status != CDM_OK)
        return status;
    if (cdm_json_count(shape) > CDM_TENSOR_MAX_DIMS)
        return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" has more than %d dimensions",
                        tensor->name, CDM_TENSOR_MAX_DIMS);
    uint64_t n = 1;
    struct cdm_json_iter iter = cdm_json_elements(shape);
    struct cdm_json value;
    while (cdm_json_next(&iter, &value)) {
        int64_t extent;
        status = cdm_json_int(h->parser, value, &extent, err);
        if (status != CDM_OK)
            return status;
        /* No array has more values than the file has bytes; 0 hides what follows, so check all. */
        if (extent < 0 || (uint64_t)extent > h->size ||
            __builtin_mul_overflow(n, (uint64_t)extent, &n) || n > h->size)
            return cdm_fail(err, CDM_BAD_INPUT,
                            "tensor \"%.100s\" has a shape that does not fit in the file",
                            tensor->name);
        tensor->shape[tensor->n_dims++] = extent;
    }
    tensor->n_values = (int64_t)n;
    return CDM_OK;
}

static enum cdm_status read_offsets(const struct header *h, struct cdm_json entry,
                                    struct cdm_tensor *tensor, struct cdm_error *err)
{
    struct cdm_json offsets;
    enum cdm_status status = cdm_json_field_array(h->parser, entry, "data_offsets", &offsets, err);
    if (status != CDM_OK)
        return status;
    int64_t place[2] = {0, 0};
    size_t n = 0;
    struct cdm_json_iter iter = cdm_json_elements(offsets);
    struct cdm_json value;
    while (cdm_json_next(&iter, &value) && n < 2) {
        status = cdm_json_int(h->parser, value, &place[n], err);
        if (status != CDM_OK)
            return status;
        n++;
    }
    if (cdm_json_count(offsets) != 2 || place[0] < 0 || place[1] < place[0] ||
        (uint64_t)place[1] > h->size)
        return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" does not lie inside the file",
                        tensor->name);
    tensor->data = h->data + place[0];
    tensor->n_bytes = (size_t)(place[1] - place[0]);
    /* n_values is at most the file's size, so this cannot overflow. */
    size_t wanted = (size_t)tensor->n_values * dtypes[tensor->dtype].size;
    if (tensor->n_bytes != wanted)
        return cdm_fail(err, CDM_BAD_INPUT,
                        "tensor \"%.100s\" has %zu bytes where its shape needs %zu", tensor->name,
                        tensor->n_bytes, wanted);
    if (tensor->n_bytes && (uintptr_t)tensor->data % dtypes[tensor->dtype].size)
        return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" is not aligned in the file",
                        tensor->name);
    return CDM_OK;
}

/* Names and metadata are used as C strings. */
static enum cdm_status check_text(struct cdm_view text, const char *what, struct cdm_error *err)
{
    if (memchr(text.data, 0, text.length))
        return cdm_fail(err, CDM_BAD_INPUT, "%s holds a zero byte", what);
    return CDM_OK;
}

static enum cdm_status read_tensor(const struct header *h, struct cdm_view name,
                                   struct cdm_json entry, struct cdm_error *err)
{
    struct cdm_tensors *tensors = h->tensors;
    enum cdm_status status = check_text(name, "the name of a tensor", err);
    if (status != CDM_OK)
        return status;
    struct cdm_tensor tensor = {0};
    tensor.name = cdm_arena_text(&tensors->arena, name.data, name.length);
    if (cdm_json_kind(entry) != CDM_JSON_OBJECT)
        return cdm_json_fail(h->parser, entry, err,
                             "tensor \"%.100s\" is not described by an object", tensor.name);
    status = read_dtype(h, entry, &tensor, err);
    if (status == CDM_OK)
        status = read_shape(h, entry, &tensor, err);
    if (status == CDM_OK)
        status = read_offsets(h, entry, &tensor, err);
    if (status != CDM_OK)
        return status;
    tensors->items =
        cdm_grow(tensors->items, &tensors->capacity, tensors->n + 1, sizeof *tensors->items);
    tensors->items[tensors->n++] = tensor;
    return CDM_OK;
}

static enum cdm_status read_meta(const struct header *h, struct cdm_json object,
                                 struct cdm_error *err)
{
    struct cdm_meta *meta = &h->tensors->meta;
    if (cdm_json_kind(object) != CDM_JSON_OBJECT)
        return cdm_json_fail(h->parser, object, err, "__metadata__ is not an object");
    if (cdm_json_count(object) > CDM_TENSOR_MAX_META)
        return cdm_fail(err, CDM_BAD_INPUT, "__metadata__ has more than %d keys",
                        CDM_TENSOR_MAX_META);
    struct cdm_json_iter iter = cdm_json_members(object);
    struct cdm_view key;
    struct cdm_json value;
    while (cdm_json_next_member(&iter, &key, &value)) {
        struct cdm_view text;
        enum cdm_status status = cdm_json_string(h->parser, value, &text, err);
        if (status == CDM_OK)
            status = check_text(key, "a key of __metadata__", err);
        if (status == CDM_OK)
            status = check_text(text, "a text of __metadata__", err);
        if (status != CDM_OK)
            return status;
        size_t before = meta->n;
        cdm_meta_set_view(meta, key, text);
        if (meta->n == before)
            return cdm_fail(err, CDM_BAD_INPUT, "__metadata__ has the key \"%.*s\" twice",
                            (int)(key.length < 100 ? key.length : 100), key.data);
    }
    return CDM_OK;
}

static int compare_places(const void *left, const void *right)
{
    const struct cdm_tensor *a = left;
    const struct cdm_tensor *b = right;
    if (a->data != b->data)
        return (const char *)a->data < (const char *)b->data ? -1 : 1;
    /* Empty ones before the one that starts at the same place; then by name, to be definite. */
    if ((a->n_bytes == 0) != (b->n_bytes == 0))
        return a->n_bytes == 0 ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp((*(struct cdm_tensor *const *)left)->name,
                  (*(struct cdm_tensor *const *)right)->name);
}

/* Arrays must follow each other and fill the file: an overlap, a gap or a rest is somebody's trick
 * or a damaged file. */
static enum cdm_status check_layout(const struct header *h, struct cdm_error *err)
{
    struct cdm_tensors *tensors = h->tensors;
    if (tensors->n > 1)
        qsort(tensors->items, tensors->n, sizeof *tensors->items, compare_places);
    const char *end = h->data;
    for (size_t i = 0; i < tensors->n; i++) {
        const struct cdm_tensor *tensor = &tensors->items[i];
        if ((const char *)tensor->data != end)
            return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" %s", tensor->name,
                            (const char *)tensor->data < end
                                ? "overlaps another one"
                                : "has a gap before it that belongs to none");
        end += tensor->n_bytes;
    }
    if (end != h->data + h->size)
        return cdm_fail(err, CDM_BAD_INPUT, "%zu bytes at the end belong to no tensor",
                        (size_t)(h->data + h->size - end));
    tensors->by_name = cdm_alloc(tensors->n + 1, sizeof(struct cdm_tensor *));
    for (size_t i = 0; i < tensors->n; i++)
        tensors->by_name[i] = &tensors->items[i];
    if (tensors->n > 1)
        qsort(tensors->by_name, tensors->n, sizeof *tensors->by_name, compare_names);
    for (size_t i = 1; i < tensors->n; i++)
        if (!strcmp(tensors->by_name[i - 1]->name, tensors->by_name[i]->name))
            return cdm_fail(err, CDM_BAD_INPUT, "there are two tensors \"%.100s\"",
                            tensors->by_name[i]->name);
    return CDM_OK;
}

static enum cdm_status read_header(struct header *h, struct cdm_view text, struct cdm_error *err)
{
    struct cdm_json root;
    enum cdm_status status = cdm_json_parse(h->parser, text, 1, &root, err);
    if (status != CDM_OK)
        return status;
    if (cdm_json_kind(root) != CDM_JSON_OBJECT)
        return cdm_json_fail(h->parser, root, err, "the header is not an object");
    struct cdm_json_iter iter = cdm_json_members(root);
    struct cdm_view name;
    struct cdm_json entry;
    bool seen_meta = false;
    while (status == CDM_OK && cdm_json_next_member(&iter, &name, &entry)) {
        if (!cdm_view_is(name, "__metadata__"))
            status = read_tensor(h, name, entry, err);
        else if (seen_meta)
            status = cdm_fail(err, CDM_BAD_INPUT, "there are two members \"__metadata__\"");
        else
            status = read_meta(h, entry, err);
        seen_meta = seen_meta || cdm_view_is(name, "__metadata__");
    }
    if (status == CDM_OK)
        status = check_layout(h, err);
    return status;
}

enum cdm_status cdm_tensors_parse(const void *bytes, size_t size, struct cdm_tensors **tensors,
                                  struct cdm_error *err)
{
    *tensors = NULL;
    uint64_t length = 0;
    if (size >= sizeof length)
        memcpy(&length, bytes, sizeof length);
    if (length < 2 || length > size - sizeof length || length > CDM_TENSOR_MAX_HEADER)
        return cdm_fail(err, CDM_BAD_INPUT, "not a safetensors file: %s",
                        length > CDM_TENSOR_MAX_HEADER ? "its header would be longer than 1 MiB"
                                                       : "it ends inside its header");
    const char *start = (const char *)bytes + sizeof length;
    struct header h = {.data = start + length, .size = size - sizeof length - (size_t)length};
    h.parser = cdm_json_parser_new(CDM_TENSOR_MAX_HEADER);
    h.tensors = cdm_alloc(1, sizeof *h.tensors);
    enum cdm_status status = read_header(&h, (struct cdm_view){start, (size_t)length}, err);
    cdm_json_parser_free(h.parser);
    if (status != CDM_OK) {
        cdm_tensors_free(h.tensors);
        return cdm_fail_in(err, "safetensors header");
    }
    *tensors = h.tensors;
    return CDM_OK;
}

static enum cdm_status read_all(int fd, char *to, size_t size, struct cdm_error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, to + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cdm_fail(err, CDM_IO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return cdm_fail(err, CDM_IO, "the file became shorter while it was read");
        done += (size_t)got;
    }
    return CDM_OK;
}

static enum cdm_status take_file(int fd, void **memory, size_t *size, size_t *mapped,
                                 struct cdm_error *err)
{
    struct stat about;
    if (fstat(fd, &about))
        return cdm_fail(err, CDM_IO, "cannot read: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return cdm_fail(err, CDM_BAD_INPUT, "not a regular file");
    *size = (size_t)about.st_size;
    if (*size <= READ_AT_MOST) {
        *memory = cdm_alloc(*size + 1, 1);
        return read_all(fd, *memory, *size, err);
    }
    void *map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return cdm_fail(err, CDM_IO, "cannot map the file into memory: %s", strerror(errno));
    *memory = map;
    *mapped = *size;
    return CDM_OK;
}

static void give_back(void *memory, size_t mapped)
{
    if (mapped)
        munmap(memory, mapped);
    else
        free(memory);
}

enum cdm_status cdm_tensors_open(const char *path, struct cdm_tensors **tensors,
                                 struct cdm_error *err)
{
    *tensors = NULL;
    /* Not blocking: opening a pipe must come back, to be refused. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cdm_fail(err, CDM_IO, "cannot open: %s", strerror(errno));
    void *memory = NULL;
    size_t size = 0;
    size_t mapped = 0;
    enum cdm_status status = take_file(fd, &memory, &size, &mapped, err);
    close(fd);
    if (status == CDM_OK)
        status = cdm_tensors_parse(memory, size, tensors, err);
    if (status != CDM_OK) {
        give_back(memory, mapped);
        return status;
    }
    (*tensors)->memory = memory;
    (*tensors)->mapped = mapped;
    return CDM_OK;
}

void cdm_tensors_free(struct cdm_tensors *tensors)
{
    if (!tensors)
        return;
    give_back(tensors->memory, tensors->mapped);
    free(tensors->items);
    free(tensors->by_name);
    cdm_arena_release(&tensors->arena);
    cdm_meta_release(&tensors->meta);
    free(tensors);
}

size_t cdm_tensors_count(const struct cdm_tensors *tensors)
{
    return tensors->n;
}

const struct cdm_tensor *cdm_tensors_at(const struct cdm_tensors *tensors, size_t i)
{
    return &tensors->items[i];
}

const struct cdm_tensor *cdm_tensors_find(const struct cdm_tensors *tensors, const char *name)
{
    struct cdm_tensor key = {.name = name};
    struct cdm_tensor *wanted = &key;
    struct cdm_tensor **found =
        bsearch(&wanted, tensors->by_name, tensors->n, sizeof *tensors->by_name, compare_names);
    return found ? *found : NULL;
}

const struct cdm_meta *cdm_tensors_meta(const struct cdm_tensors *tensors)
{
    return &tensors->meta;
}

static void put_shape(struct cdm_str *text, int32_t n_dims, const int64_t *shape)
{
    cdm_str_putc(text, '[');
    for (int32_t d = 0; d < n_dims; d++) {
        if (d)
            cdm_str_puts(text, ", ");
        if (shape[d] < 0)
            cdm_str_putc(text, '?');
        else
            cdm_str_printf(text, "%" PRId64, shape[d]);
    }
    cdm_str_putc(text, ']');
}

enum cdm_status cdm_tensors_get(const struct cdm_tensors *tensors, const char *name,
                                enum cdm_dtype dtype, int32_t n_dims, const int64_t *shape,
                                const struct cdm_tensor **tensor, struct cdm_error *err)
{
    const struct cdm_tensor *found = cdm_tensors_find(tensors, name);
    if (!found)
        return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%s\" is missing", name);
    bool agrees = found->dtype == dtype && found->n_dims == n_dims;
    for (int32_t d = 0; d < n_dims && agrees; d++)
        agrees = shape[d] < 0 || shape[d] == found->shape[d];
    if (agrees) {
        *tensor = found;
        return CDM_OK;
    }
    struct cdm_str text = {0};
    cdm_str_printf(&text, "tensor \"%s\" is %s ", name, cdm_dtype_name(found->dtype));
    put_shape(&text, found->n_dims, found->shape);
    cdm_str_printf(&text, ", where %s ", cdm_dtype_name(dtype));
    put_shape(&text, n_dims, shape);
    cdm_str_puts(&text, " is needed");
    cdm_fail(err, CDM_BAD_INPUT, "%s", text.data);
    cdm_str_release(&text);
    return CDM_BAD_INPUT;
}

enum cdm_status cdm_tensor_check_finite(const struct cdm_tensor *tensor, struct cdm_error *err)
{
    const float *floats = tensor->dtype == CDM_DTYPE_F32 ? tensor->data : NULL;
    const double *doubles = tensor->dtype == CDM_DTYPE_F64 ? tensor->data : NULL;
    for (int64_t i = 0; (floats || doubles) && i < tensor->n_values; i++) {
        double value = floats ? (double)floats[i] : doubles[i];
        if (!isfinite(value))
            return cdm_fail(err, CDM_BAD_INPUT, "tensor \"%.100s\" holds %s at index %" PRId64,
                            tensor->name, isnan(value) ? "NaN" : "an infinity", i);
    }
    return CDM_OK;
}
