/* From leaf matrices and device vectors to the arrays that a network takes.
 *
 * The features layer gives programs as raw leaf matrices. The network wants normalised ones, padded
 * to a common leaf count, a summary of each program and one device vector for each pair. Training
 * and prediction both come through here, so they cannot differ. */
#ifndef CDMPP_MODELS_INPUTS_H
#define CDMPP_MODELS_INPUTS_H

#include "cdmpp/core/error.h"
#include "models/normalise.h"
#include "models/torch/torch_shim.h"

#include <stddef.h>
#include <stdint.h>

/* The attention needs memory by the square of the leaf count. */
enum { CDM_MAX_LEAVES = 2048 };

/* Raw programs and devices. Everything is borrowed. */
struct cdm_inputs {
    int32_t n_programs;
    int32_t n_features;
    const float *leaves; /* [offsets[n_programs]][n_features], one program after the other */
    const int64_t
        *offsets; /* [n_programs + 1]: program i has leaves offsets[i] .. offsets[i + 1] */
    const int32_t *positions; /* [offsets[n_programs]]: 2 * id - depth of each leaf */
    int32_t n_devices;
    int32_t n_device_entries;
    const float *devices; /* [n_devices][n_device_entries] */
};

/* What to predict, or what was measured. */
struct cdm_pair {
    int32_t program; /* index in the inputs */
    int32_t device;
};

/* CDM_BAD_INPUT, naming the program or device, unless every program has 1 .. CDM_MAX_LEAVES leaves,
 * offsets rise, positions are not negative and all numbers are finite. */
enum cdm_status cdm_inputs_check(const struct cdm_inputs *inputs,
                                 struct cdm_error *err) CDM_MUST_CHECK;

/* The summary of a program: for each feature the sum over its leaves, then for each feature the
 * maximum, then ln(leaves). */
int32_t cdm_summary_size(int32_t n_features);
/* leaves: [n_leaves][n_features], n_leaves > 0; summary: [cdm_summary_size(n_features)] */
void cdm_summarise(const float *leaves, int64_t n_leaves, int32_t n_features, float *summary);

/* Fitted on the training set, kept in the model file. */
struct cdm_scaling {
    struct cdm_normaliser leaf;    /* [n_features] */
    struct cdm_normaliser summary; /* [n_summary]; n = 0: the network takes none */
    struct cdm_normaliser device;  /* [n_device_entries] */
};

/* Fits to the programs for which uses_program[i] is set and the devices for which uses_device[i] is
 * (at least one each). `summary` says whether the network takes the summary. The caller releases.
 */
void cdm_scaling_fit(struct cdm_scaling *scaling, const struct cdm_inputs *inputs,
                     const uint8_t *uses_program, const uint8_t *uses_device, int summary,
                     float clip);
void cdm_scaling_release(struct cdm_scaling *scaling);

/* A batch and the memory behind it, which is used again by the next fill. Zero-initialise. Users
 * read `view`; the rest is private. */
struct cdm_batch {
    struct cdm_torch_batch view;
    float *leaves;
    int32_t *n_leaves;
    float *positions;
    float *summary;
    int32_t *pair_program;
    float *devices;
    size_t capacity[6]; /* of these six arrays */
};

/* Fills the batch with `n_programs` programs (indices, all different) and `n_pairs` pairs, whose
 * `program` is a place in `programs`, not an index in the inputs. The inputs must have passed
 * cdm_inputs_check(). */
void cdm_batch_fill(struct cdm_batch *batch, const struct cdm_inputs *inputs,
                    const struct cdm_scaling *scaling, const int32_t *programs, int32_t n_programs,
                    const struct cdm_pair *pairs, int32_t n_pairs);
void cdm_batch_release(struct cdm_batch *batch);

#endif
