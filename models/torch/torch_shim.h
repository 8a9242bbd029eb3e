/* The boundary between the C program and LibTorch.
 *
 * The C++ side is a plug-in, libcdmpp_torch.so, opened at run time (models/plugin.h). It exports
 * one symbol, cdm_torch_get_api(), which returns the table below. Only plain arrays cross: C reads
 * and writes all files, fits the normalisers and runs the training loop; the plug-in holds weights
 * and computes.
 *
 * For every function of the table:
 *   - no C++ exception leaves it; it returns a status and fills *err;
 *   - arrays belong to the caller and are copied or only read during the call;
 *   - a handle has one owner and is used by one thread at a time;
 *   - on the CPU the results depend only on the inputs, the seed, the number of threads and the
 *     LibTorch that is used: the same run gives the same bits. */
#ifndef CDMPP_MODELS_TORCH_TORCH_SHIM_H
#define CDMPP_MODELS_TORCH_TORCH_SHIM_H

#include "cdmpp/core/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raise it with every change of this file that an older plug-in or program would misread. */
enum { CDM_TORCH_ABI = 1 };

/* The sizes of the network: see net.hpp for what they mean. They are part of a model file, which
 * may be hostile: model_new() refuses values out of range. */
struct cdm_net_config {
    int32_t n_features;    /* inputs of one leaf */
    int32_t n_summary;     /* inputs that describe the whole program; 0: none */
    int32_t n_device;      /* inputs that describe the device */
    int32_t width;         /* of a leaf inside the encoder; a multiple of 2 * heads */
    int32_t layers;        /* of the encoder; 0: leaves do not see each other */
    int32_t heads;         /* of the attention */
    int32_t ffn;           /* hidden width of the encoder's feed-forward part */
    int32_t summary_width; /* of the summary network; ignored when n_summary is 0 */
    int32_t device_width;  /* of the device network */
    int32_t head_width;    /* of the program embedding and of the head */
    int32_t head_layers;   /* residual blocks of the head */
    float dropout;         /* 0 <= dropout < 1; training only */
};

/* Programs and the (program, device) pairs to predict. A program that is wanted for many devices
 * stands here once. All values are normalised already; padding may hold anything finite. */
struct cdm_torch_batch {
    int32_t n_programs;
    int32_t max_leaves;
    int32_t n_features;
    const float *leaves;     /* [n_programs][max_leaves][n_features] */
    const int32_t *n_leaves; /* [n_programs], each 1 .. max_leaves */
    const float *positions;  /* [n_programs][max_leaves], 2 * id - depth of each leaf */
    int32_t n_summary;
    const float *summary; /* [n_programs][n_summary]; may be NULL when n_summary is 0 */
    int32_t n_pairs;
    const int32_t *pair_program; /* [n_pairs], each 0 .. n_programs - 1 */
    int32_t n_device;
    const float *devices; /* [n_pairs][n_device] */
};

enum { CDM_TORCH_MAX_DIMS = 4 };

/* One array of weights. `name` belongs to the model. */
struct cdm_torch_tensor {
    const char *name;
    int32_t n_dims;
    int64_t shape[CDM_TORCH_MAX_DIMS];
    int64_t n_values;
};

/* AdamW. The rate is set apart, since it changes from step to step. */
struct cdm_trainer_options {
    float beta1;
    float beta2;
    float epsilon;
    float weight_decay; /* of matrices only, not of biases and gains */
    float clip_norm;    /* the gradient's norm is cut to this; 0: not cut */
    float average;      /* 0: off; else the decay of the running average of the weights, as 0.999 */
    uint64_t seed; /* of dropout: the mask of a step depends on the seed and the step's number */
};

enum cdm_loss_kind {
    CDM_LOSS_SQUARED, /* e^2 */
    CDM_LOSS_HUBER,   /* e^2 / 2 where |e| < delta, else delta * (|e| - delta / 2) */
};

struct cdm_loss_options {
    int32_t kind; /* enum cdm_loss_kind */
    float delta;
};

struct cdm_step_result {
    float loss;          /* weighted mean over the pairs */
    float gradient_norm; /* before it is cut */
};

struct cdm_torch_model;
struct cdm_torch_trainer;

struct cdm_torch_api {
    int32_t abi;         /* CDM_TORCH_ABI of the plug-in; the opener refuses another one */
    const char *version; /* such as "LibTorch 2.11.0" */

    /* Once, before anything else. */
    enum cdm_status (*setup)(int32_t n_threads, struct cdm_error *err);

    /* CDM_OK when models can live on the device: "cpu", "cuda" or "cuda:N". The first question
     * about CUDA loads LibTorch's CUDA part. CDM_UNAVAILABLE says what is missing. */
    enum cdm_status (*has_device)(const char *device, struct cdm_error *err);

    /* Weights are drawn from the seed. */
    enum cdm_status (*model_new)(const struct cdm_net_config *config, const char *device,
                                 uint64_t seed, struct cdm_torch_model **model,
                                 struct cdm_error *err);
    void (*model_free)(struct cdm_torch_model *model); /* may be NULL; its trainers must be gone */
    int32_t (*model_n_tensors)(const struct cdm_torch_model *model);
    /* i from 0 to model_n_tensors() - 1, in an order that only the config decides. */
    enum cdm_status (*model_tensor)(const struct cdm_torch_model *model, int32_t i,
                                    struct cdm_torch_tensor *tensor, struct cdm_error *err);
    /* n must be the tensor's n_values. */
    enum cdm_status (*model_read)(const struct cdm_torch_model *model, int32_t i, float *values,
                                  int64_t n, struct cdm_error *err);
    enum cdm_status (*model_write)(struct cdm_torch_model *model, int32_t i, const float *values,
                                   int64_t n, struct cdm_error *err);

    /* out: [n_pairs], in label space. Dropout is off. */
    enum cdm_status (*predict)(struct cdm_torch_model *model, const struct cdm_torch_batch *batch,
                               float *out, struct cdm_error *err);
    /* out: [n_programs][head_width]: what the head sees of each program. n_pairs may be 0. */
    enum cdm_status (*embed)(struct cdm_torch_model *model, const struct cdm_torch_batch *batch,
                             float *out, struct cdm_error *err);

    /* The model is borrowed and must outlive the trainer. One trainer for a model at a time. */
    enum cdm_status (*trainer_new)(struct cdm_torch_model *model,
                                   const struct cdm_trainer_options *options,
                                   struct cdm_torch_trainer **trainer, struct cdm_error *err);
    void (*trainer_free)(struct cdm_torch_trainer *trainer);
    void (*trainer_set_rate)(struct cdm_torch_trainer *trainer, float rate);
    /* One update of the weights. labels, weights: [n_pairs]; the weights are not negative and at
     * least one is positive. When the loss or the gradient is not finite nothing is changed and the
     * status is CDM_BAD_INPUT. */
    enum cdm_status (*trainer_step)(struct cdm_torch_trainer *trainer,
                                    const struct cdm_torch_batch *batch, const float *labels,
                                    const float *weights, const struct cdm_loss_options *loss,
                                    struct cdm_step_result *result, struct cdm_error *err);
    /* Exchanges the model's weights and their running average, for validation; a second call puts
     * them back. Without an average it does nothing. */
    enum cdm_status (*trainer_swap_average)(struct cdm_torch_trainer *trainer,
                                            struct cdm_error *err);

    /* What has to be kept beside the model's weights to go on later: the number of steps done and
     * some flat arrays, such as the moments of Adam. */
    int64_t (*trainer_steps)(const struct cdm_torch_trainer *trainer);
    void (*trainer_set_steps)(struct cdm_torch_trainer *trainer, int64_t steps);
    int32_t (*trainer_n_states)(const struct cdm_torch_trainer *trainer);
    enum cdm_status (*trainer_state)(const struct cdm_torch_trainer *trainer, int32_t i,
                                     struct cdm_torch_tensor *tensor, struct cdm_error *err);
    enum cdm_status (*trainer_read)(const struct cdm_torch_trainer *trainer, int32_t i,
                                    float *values, int64_t n, struct cdm_error *err);
    enum cdm_status (*trainer_write)(struct cdm_torch_trainer *trainer, int32_t i,
                                     const float *values, int64_t n, struct cdm_error *err);
};

/* The only symbol of the plug-in. Never NULL; the table lives as long as the process. */
const struct cdm_torch_api *cdm_torch_get_api(void);

#ifdef __cplusplus
}
#endif

#endif
