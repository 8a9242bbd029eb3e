/* Any bytes as a safetensors file, and as a model. */
#include "models/model_file.h"
#include "models/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches all that a caller may touch; a sanitizer sees what lies outside. */
static unsigned touch(const struct cdm_tensors *tensors)
{
    unsigned sum = 0;
    struct cdm_error err;
    for (size_t i = 0; i < cdm_tensors_count(tensors); i++) {
        const struct cdm_tensor *tensor = cdm_tensors_at(tensors, i);
        const unsigned char *bytes = tensor->data;
        for (size_t byte = 0; byte < tensor->n_bytes; byte++)
            sum += bytes[byte];
        sum += cdm_tensor_check_finite(tensor, &err) == CDM_OK;
        if (cdm_tensors_find(tensors, tensor->name) != tensor)
            abort();
        if (tensor->n_bytes != (size_t)tensor->n_values * cdm_dtype_size(tensor->dtype))
            abort();
    }
    const struct cdm_meta *meta = cdm_tensors_meta(tensors);
    for (size_t i = 0; i < meta->n; i++)
        if (cdm_meta_find(meta, meta->items[i].key) != meta->items[i].value)
            abort();
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cdm_tensors *tensors;
    struct cdm_model model;
    struct cdm_error err = {0};
    /* Aligned, and not one byte longer. */
    void *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, data, size);
    if (cdm_tensors_parse(copy, size, &tensors, &err) == CDM_OK) {
        volatile unsigned sum = touch(tensors);
        (void)sum;
        if (cdm_model_from_tensors(tensors, &model, &err) == CDM_OK)
            cdm_model_release(&model);
        cdm_tensors_free(tensors);
    }
    free(copy);
    return 0;
}
