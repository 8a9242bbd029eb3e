/* Brings the entries of a vector to a common scale: (x - mean) / scale, cut to a few scales.
 *
 * Fitted on the training set alone. An entry that is constant there says nothing, and another value
 * of it would be something the model never saw: its scale is 0 and it always reads as 0. */
#ifndef CDMPP_MODELS_NORMALISE_H
#define CDMPP_MODELS_NORMALISE_H

#include "cdmpp/core/error.h"

#include <stddef.h>
#include <stdint.h>

struct cdm_normaliser {
    int32_t n;    /* entries of a vector */
    float clip;   /* results lie in -clip .. clip */
    float *mean;  /* [n] */
    float *scale; /* [n]: standard deviation, or 0 for a constant entry */
};

/* Mean and spread of rows that come one after the other. */
struct cdm_normaliser_fit {
    int32_t n;
    int64_t rows;
    double *mean;    /* [n] */
    double *squares; /* [n], sum of squared distances from the mean */
};

void cdm_normaliser_fit_begin(struct cdm_normaliser_fit *fit, int32_t n);
/* rows: [n_rows][n], all finite */
void cdm_normaliser_fit_add(struct cdm_normaliser_fit *fit, const float *rows, size_t n_rows);
/* Makes the normaliser, which the caller releases, and releases the fit. At least one row. */
void cdm_normaliser_fit_end(struct cdm_normaliser_fit *fit, float clip,
                            struct cdm_normaliser *normaliser);

/* A zeroed normaliser of n entries, to be filled from a file. */
void cdm_normaliser_init(struct cdm_normaliser *normaliser, int32_t n, float clip);
void cdm_normaliser_release(struct cdm_normaliser *normaliser);

/* CDM_BAD_INPUT unless the clip is positive, means are finite and scales neither negative nor
 * infinite. `what` names the normaliser in the message. */
enum cdm_status cdm_normaliser_check(const struct cdm_normaliser *normaliser, const char *what,
                                     struct cdm_error *err) CDM_MUST_CHECK;

/* rows: [n_rows][n] -> out: [n_rows][n]; they may be the same array. */
void cdm_normalise(const struct cdm_normaliser *normaliser, const float *rows, size_t n_rows,
                   float *out);

#endif
