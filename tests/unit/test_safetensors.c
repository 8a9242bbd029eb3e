#include "cdmpp/core/str.h"
#include "cdmpp/core/text.h"
#include "models/safetensors.h"
#include "tests/unit/near.h"
#include "tests/unit/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

/* Parses a header with `n_data` bytes after it: 0, 1, 2, ... The block is of exactly the file's
 * size, so that a sanitizer sees a byte too many being read. Header texts are padded to a multiple
 * of 8 here. */
static enum cdm_status parse(const char *header, size_t n_data, struct cdm_tensors **tensors,
                             void **memory, struct cdm_error *err)
{
    uint64_t length = (strlen(header) + 7) / 8 * 8;
    size_t size = 8 + length + n_data;
    char *file = malloc(size);
    memcpy(file, &length, 8);
    memset(file + 8, ' ', length);
    memcpy(file + 8, header, strlen(header));
    for (size_t i = 0; i < n_data; i++)
        file[8 + length + i] = (char)i;
    *memory = file;
    return cdm_tensors_parse(file, size, tensors, err);
}

static void assert_refused(const char *header, size_t n_data, const char *message)
{
    struct cdm_tensors *tensors;
    struct cdm_error err = {0};
    void *memory;
    assert_int_equal(parse(header, n_data, &tensors, &memory, &err), CDM_BAD_INPUT);
    assert_null(tensors);
    assert_string_equal(err.message, message);
    free(memory);
}

/* ---- Reading ---- */

static void tensors_are_found_with_type_shape_and_data(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    struct cdm_error err;
    void *memory;
    const char *header = "{\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
                         "\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
                         "\"__metadata__\":{\"k\":\"v\",\"empty\":\"\"}}";
    assert_int_equal(parse(header, 11, &tensors, &memory, &err), CDM_OK);
    assert_int_equal(cdm_tensors_count(tensors), 2);
    assert_string_equal(cdm_tensors_at(tensors, 0)->name, "a");
    const struct cdm_tensor *b = cdm_tensors_find(tensors, "b");
    assert_non_null(b);
    assert_int_equal(b->dtype, CDM_DTYPE_U8);
    assert_int_equal(b->n_dims, 1);
    assert_int_equal(b->shape[0], 3);
    assert_int_equal(b->n_values, 3);
    assert_memory_equal(b->data, "\x08\x09\x0a", 3);
    assert_null(cdm_tensors_find(tensors, "c"));
    assert_string_equal(cdm_meta_find(cdm_tensors_meta(tensors), "k"), "v");
    assert_string_equal(cdm_meta_find(cdm_tensors_meta(tensors), "empty"), "");
    assert_null(cdm_meta_find(cdm_tensors_meta(tensors), "a"));
    cdm_tensors_free(tensors);
    free(memory);
}

static void a_scalar_has_one_value_and_an_empty_tensor_none(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    struct cdm_error err;
    void *memory;
    const char *header = "{\"one\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
                         "\"none\":{\"dtype\":\"F32\",\"shape\":[4,0],\"data_offsets\":[8,8]}}";
    assert_int_equal(parse(header, 8, &tensors, &memory, &err), CDM_OK);
    assert_int_equal(cdm_tensors_find(tensors, "one")->n_values, 1);
    assert_int_equal(cdm_tensors_find(tensors, "none")->n_values, 0);
    cdm_tensors_free(tensors);
    free(memory);
}

static void an_empty_file_of_tensors_is_fine(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    struct cdm_error err;
    void *memory;
    assert_int_equal(parse("{}", 0, &tensors, &memory, &err), CDM_OK);
    assert_int_equal(cdm_tensors_count(tensors), 0);
    assert_null(cdm_tensors_find(tensors, "x"));
    cdm_tensors_free(tensors);
    free(memory);
}

static void a_wrong_type_or_shape_is_named(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    const struct cdm_tensor *tensor = NULL;
    struct cdm_error err;
    void *memory;
    const char *header = "{\"a\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[0,12]}}";
    assert_int_equal(parse(header, 12, &tensors, &memory, &err), CDM_OK);
    assert_int_equal(
        cdm_tensors_get(tensors, "a", CDM_DTYPE_F16, 2, (const int64_t[]){-1, 3}, &tensor, &err),
        CDM_OK);
    assert_int_equal(
        cdm_tensors_get(tensors, "a", CDM_DTYPE_F32, 1, (const int64_t[]){-1}, &tensor, &err),
        CDM_BAD_INPUT);
    assert_string_equal(err.message, "tensor \"a\" is F16 [2, 3], where F32 [?] is needed");
    assert_int_equal(cdm_tensors_get(tensors, "z", CDM_DTYPE_F32, 0, NULL, &tensor, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message, "tensor \"z\" is missing");
    cdm_tensors_free(tensors);
    free(memory);
}

static void values_that_are_not_finite_are_found_on_demand(void **state)
{
    (void)state;
    struct cdm_error err;
    float values[] = {1, 2, INFINITY, NAN};
    struct cdm_tensor tensor = {
        .name = "w", .dtype = CDM_DTYPE_F32, .data = values, .n_values = 2, .n_bytes = 8};
    assert_int_equal(cdm_tensor_check_finite(&tensor, &err), CDM_OK);
    tensor.n_values = 4;
    assert_int_equal(cdm_tensor_check_finite(&tensor, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "tensor \"w\" holds an infinity at index 2");
    values[2] = 0;
    assert_int_equal(cdm_tensor_check_finite(&tensor, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "tensor \"w\" holds NaN at index 3");
}

/* ---- Hostile files ---- */

static void overlapping_tensors_are_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                   "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
                   6, "safetensors header: tensor \"b\" overlaps another one");
}

static void the_same_place_for_two_tensors_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                   "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
                   4, "safetensors header: tensor \"b\" overlaps another one");
}

static void a_gap_between_tensors_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}}", 5,
                   "safetensors header: tensor \"a\" has a gap before it that belongs to none");
}

static void bytes_after_the_last_tensor_are_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 6,
                   "safetensors header: 2 bytes at the end belong to no tensor");
}

static void a_tensor_outside_the_file_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 3,
                   "safetensors header: tensor \"a\" has a shape that does not fit in the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[3,4]}}", 3,
                   "safetensors header: tensor \"a\" does not lie inside the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[-1,0]}}", 3,
                   "safetensors header: tensor \"a\" does not lie inside the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,1]}}", 3,
                   "safetensors header: tensor \"a\" does not lie inside the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1,
                   "safetensors header: tensor \"a\" does not lie inside the file");
}

static void bytes_that_do_not_fit_the_shape_are_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
                   "safetensors header: tensor \"a\" has 4 bytes where its shape needs 8");
}

static void a_shape_whose_product_overflows_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],"
                   "\"data_offsets\":[0,0]}}",
                   0, "safetensors header: tensor \"a\" has a shape that does not fit in the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,0]}}", 0,
                   "safetensors header: tensor \"a\" has a shape that does not fit in the file");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[0,9223372036854775807],"
                   "\"data_offsets\":[0,0]}}",
                   0, "safetensors header: tensor \"a\" has a shape that does not fit in the file");
}

static void too_many_dimensions_are_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],"
                   "\"data_offsets\":[0,1]}}",
                   1, "safetensors header: tensor \"a\" has more than 8 dimensions");
}

static void a_name_that_occurs_twice_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                   "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]},"
                   "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}",
                   3, "safetensors header: there are two tensors \"a\"");
    assert_refused("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0,
                   "safetensors header: __metadata__ has the key \"k\" twice");
    assert_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0,
                   "safetensors header: there are two members \"__metadata__\"");
}

static void a_name_with_a_zero_byte_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\\u0000b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
                   "safetensors header: the name of a tensor holds a zero byte");
    assert_refused("{\"__metadata__\":{\"k\":\"\\u0000\"}}", 0,
                   "safetensors header: a text of __metadata__ holds a zero byte");
}

static void an_unknown_type_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
                   "safetensors header: tensor \"a\" has the unknown type \"F31\"");
}

static void a_tensor_that_is_not_aligned_is_refused(void **state)
{
    (void)state;
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                   "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}}",
                   5, "safetensors header: tensor \"b\" is not aligned in the file");
}

static void metadata_that_is_not_text_is_refused(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    struct cdm_error err = {0};
    void *memory;
    assert_int_equal(parse("{\"__metadata__\":{\"k\":1}}", 0, &tensors, &memory, &err),
                     CDM_BAD_INPUT);
    free(memory);
    assert_int_equal(parse("{\"__metadata__\":[]}", 0, &tensors, &memory, &err), CDM_BAD_INPUT);
    free(memory);
    assert_int_equal(parse("[]", 0, &tensors, &memory, &err), CDM_BAD_INPUT);
    free(memory);
}

static void a_header_longer_than_the_file_is_refused(void **state)
{
    (void)state;
    struct cdm_tensors *tensors;
    struct cdm_error err;
    uint64_t file[2] = {9, 0x7d7b}; /* "{}" */
    assert_int_equal(cdm_tensors_parse(file, 16, &tensors, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "not a safetensors file: it ends inside its header");
    file[0] = UINT64_MAX;
    assert_int_equal(cdm_tensors_parse(file, 16, &tensors, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message,
                        "not a safetensors file: its header would be longer than 1 MiB");
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    struct cdm_str bytes = {0};
    struct cdm_tensors *tensors;
    struct cdm_error err;
    const float values[] = {1, 2, 3};
    const struct cdm_tensor tensor = {
        .name = "w", .dtype = CDM_DTYPE_F32, .n_dims = 1, .shape = {3}, .data = values};
    assert_int_equal(cdm_tensors_write(path, &tensor, 1, NULL, &err), CDM_OK);
    assert_int_equal(cdm_read_file(path, 1 << 20, &bytes, &err), CDM_OK);
    for (size_t size = 0; size < bytes.length; size++) {
        char *cut = malloc(size + 1);
        memcpy(cut, bytes.data, size);
        assert_int_equal(cdm_tensors_parse(cut, size, &tensors, &err), CDM_BAD_INPUT);
        free(cut);
    }
    cdm_str_release(&bytes);
}

/* ---- Files ---- */

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_tensors *tensors;
    struct cdm_meta meta = {0};
    const uint8_t bytes[] = {1, 2, 3};
    const float floats[] = {1.5F, -0.0F, 3e38F, 1e-45F, 5, 6};
    const int64_t wide[] = {INT64_MIN, INT64_MAX};
    const struct cdm_tensor list[] = {
        {.name = "bytes", .dtype = CDM_DTYPE_U8, .n_dims = 1, .shape = {3}, .data = bytes},
        {.name = "floats", .dtype = CDM_DTYPE_F32, .n_dims = 2, .shape = {2, 3}, .data = floats},
        {.name = "\xc2\xb5\"", .dtype = CDM_DTYPE_I64, .n_dims = 1, .shape = {2}, .data = wide},
    };
    cdm_meta_set(&meta, "text", "a \"quoted\"\nline");
    cdm_meta_set_int(&meta, "number", -5);
    cdm_meta_set_double(&meta, "tenth", 0.1);
    cdm_meta_set(&meta, "number", "6");
    assert_int_equal(cdm_tensors_write(path, list, 3, &meta, &err), CDM_OK);
    assert_int_equal(cdm_tensors_open(path, &tensors, &err), CDM_OK);
    /* Widest first. */
    assert_string_equal(cdm_tensors_at(tensors, 0)->name, "\xc2\xb5\"");
    assert_string_equal(cdm_tensors_at(tensors, 2)->name, "bytes");
    assert_memory_equal(cdm_tensors_find(tensors, "floats")->data, floats, sizeof floats);
    assert_memory_equal(cdm_tensors_find(tensors, "bytes")->data, bytes, sizeof bytes);
    assert_memory_equal(cdm_tensors_at(tensors, 0)->data, wide, sizeof wide);
    const struct cdm_meta *read = cdm_tensors_meta(tensors);
    int64_t number = 0;
    double tenth = 0;
    assert_int_equal(read->n, 3);
    assert_string_equal(cdm_meta_find(read, "text"), "a \"quoted\"\nline");
    assert_int_equal(cdm_meta_int(read, "number", 0, 10, &number, &err), CDM_OK);
    assert_int_equal(number, 6);
    assert_int_equal(cdm_meta_double(read, "tenth", &tenth, &err), CDM_OK);
    assert_near(tenth, 0.1, 0);
    cdm_tensors_free(tensors);
    cdm_meta_release(&meta);
}

static void the_same_content_gives_the_same_bytes(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_str first = {0};
    struct cdm_str second = {0};
    const float values[] = {1, 2};
    const struct cdm_tensor tensor = {
        .name = "w", .dtype = CDM_DTYPE_F32, .n_dims = 1, .shape = {2}, .data = values};
    assert_int_equal(cdm_tensors_write(path, &tensor, 1, NULL, &err), CDM_OK);
    assert_int_equal(cdm_read_file(path, 1 << 20, &first, &err), CDM_OK);
    assert_int_equal(cdm_tensors_write(path, &tensor, 1, NULL, &err), CDM_OK);
    assert_int_equal(cdm_read_file(path, 1 << 20, &second, &err), CDM_OK);
    assert_int_equal(first.length, 64 + 8); /* the data starts at a multiple of 64 */
    assert_int_equal(second.length, first.length);
    assert_memory_equal(first.data, second.data, first.length);
    cdm_str_release(&first);
    cdm_str_release(&second);
}

static void a_large_file_is_mapped(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_tensors *tensors;
    size_t n = 9 << 20; /* 36 MiB of floats */
    float *values = malloc(n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(i % 1000);
    const struct cdm_tensor tensor = {
        .name = "w", .dtype = CDM_DTYPE_F32, .n_dims = 1, .shape = {(int64_t)n}, .data = values};
    assert_int_equal(cdm_tensors_write(path, &tensor, 1, NULL, &err), CDM_OK);
    assert_int_equal(cdm_tensors_open(path, &tensors, &err), CDM_OK);
    /* The file may be replaced while it is open. */
    assert_int_equal(cdm_tensors_write(path, &tensor, 0, NULL, &err), CDM_OK);
    assert_memory_equal(cdm_tensors_at(tensors, 0)->data, values, n * sizeof *values);
    cdm_tensors_free(tensors);
    free(values);
}

static void what_cannot_be_opened_says_why(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_tensors *tensors;
    assert_int_equal(cdm_tensors_open("/nowhere/x", &tensors, &err), CDM_IO);
    assert_string_equal(err.message, "cannot open: No such file or directory");
    assert_int_equal(cdm_tensors_open(folder, &tensors, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "not a regular file");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(cdm_tensors_open(path, &tensors, &err), CDM_BAD_INPUT);
    unlink(path);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct cdm_error err;
    const float values[4096] = {0};
    const struct cdm_tensor tensor = {
        .name = "w", .dtype = CDM_DTYPE_F32, .n_dims = 1, .shape = {4096}, .data = values};
    assert_int_equal(cdm_tensors_write("/dev/full", &tensor, 1, NULL, &err), CDM_IO);
}

static void metadata_is_read_by_type(void **state)
{
    (void)state;
    struct cdm_error err;
    struct cdm_meta meta = {0};
    int64_t integer;
    double number;
    const char *text;
    cdm_meta_set(&meta, "word", "twelve");
    cdm_meta_set(&meta, "big", "12");
    cdm_meta_set(&meta, "inf", "inf");
    assert_int_equal(cdm_meta_int(&meta, "word", 0, 9, &integer, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "metadata \"word\" is not an integer: \"twelve\"");
    assert_int_equal(cdm_meta_int(&meta, "big", 0, 9, &integer, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "metadata \"big\" must be from 0 to 9, not 12");
    assert_int_equal(cdm_meta_double(&meta, "inf", &number, &err), CDM_BAD_INPUT);
    assert_int_equal(cdm_meta_text(&meta, "none", &text, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "metadata lacks \"none\"");
    cdm_meta_release(&meta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_found_with_type_shape_and_data),
        cmocka_unit_test(a_scalar_has_one_value_and_an_empty_tensor_none),
        cmocka_unit_test(an_empty_file_of_tensors_is_fine),
        cmocka_unit_test(a_wrong_type_or_shape_is_named),
        cmocka_unit_test(values_that_are_not_finite_are_found_on_demand),
        cmocka_unit_test(overlapping_tensors_are_refused),
        cmocka_unit_test(the_same_place_for_two_tensors_is_refused),
        cmocka_unit_test(a_gap_between_tensors_is_refused),
        cmocka_unit_test(bytes_after_the_last_tensor_are_refused),
        cmocka_unit_test(a_tensor_outside_the_file_is_refused),
        cmocka_unit_test(bytes_that_do_not_fit_the_shape_are_refused),
        cmocka_unit_test(a_shape_whose_product_overflows_is_refused),
        cmocka_unit_test(too_many_dimensions_are_refused),
        cmocka_unit_test(a_name_that_occurs_twice_is_refused),
        cmocka_unit_test(a_name_with_a_zero_byte_is_refused),
        cmocka_unit_test(an_unknown_type_is_refused),
        cmocka_unit_test(a_tensor_that_is_not_aligned_is_refused),
        cmocka_unit_test(metadata_that_is_not_text_is_refused),
        cmocka_unit_test(a_header_longer_than_the_file_is_refused),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(the_same_content_gives_the_same_bytes),
        cmocka_unit_test(a_large_file_is_mapped),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(metadata_is_read_by_type),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
