#include "models/normalise.h"

#include "cdmpp/core/alloc.h"

#include <math.h>
#include <stdlib.h>

/* A spread below this share of the mean is rounding, not information. */
static const double least_spread = 1e-6;

void cdm_normaliser_fit_begin(struct cdm_normaliser_fit *fit, int32_t n)
{
    *fit = (struct cdm_normaliser_fit){.n = n};
    fit->mean = cdm_alloc((size_t)n + 1, sizeof *fit->mean);
    fit->squares = cdm_alloc((size_t)n + 1, sizeof *fit->squares);
}

void cdm_normaliser_fit_add(struct cdm_normaliser_fit *fit, const float *rows, size_t n_rows)
{
    size_t n = (size_t)fit->n;
    for (size_t row = 0; row < n_rows; row++, rows += n) {
        /* Welford's update: no cancellation, however far the mean is from 0. */
        double share = 1 / (double)++fit->rows;
        for (size_t i = 0; i < n; i++) {
            double value = (double)rows[i];
            double off = value - fit->mean[i];
            fit->mean[i] += off * share;
            fit->squares[i] += off * (value - fit->mean[i]);
        }
    }
}

void cdm_normaliser_fit_end(struct cdm_normaliser_fit *fit, float clip,
                            struct cdm_normaliser *normaliser)
{
    cdm_normaliser_init(normaliser, fit->n, clip);
    for (int32_t i = 0; i < fit->n; i++) {
        double spread = sqrt(fit->squares[i] / (double)fit->rows);
        normaliser->mean[i] = (float)fit->mean[i];
        if (spread > least_spread * fmax(fabs(fit->mean[i]), least_spread))
            normaliser->scale[i] = (float)spread;
    }
    free(fit->mean);
    free(fit->squares);
    *fit = (struct cdm_normaliser_fit){0};
}

void cdm_normaliser_init(struct cdm_normaliser *normaliser, int32_t n, float clip)
{
    normaliser->n = n;
    normaliser->clip = clip;
    normaliser->mean = cdm_alloc((size_t)n + 1, sizeof(float));
    normaliser->scale = cdm_alloc((size_t)n + 1, sizeof(float));
}

void cdm_normaliser_release(struct cdm_normaliser *normaliser)
{
    free(normaliser->mean);
    free(normaliser->scale);
    *normaliser = (struct cdm_normaliser){0};
}

enum cdm_status cdm_normaliser_check(const struct cdm_normaliser *normaliser, const char *what,
                                     struct cdm_error *err)
{
    if (!(normaliser->clip > 0 && isfinite(normaliser->clip)))
        return cdm_fail(err, CDM_BAD_INPUT, "%s: the clip must be positive", what);
    for (int32_t i = 0; i < normaliser->n; i++)
        if (!isfinite(normaliser->mean[i]) ||
            !(normaliser->scale[i] >= 0 && isfinite(normaliser->scale[i])))
            return cdm_fail(err, CDM_BAD_INPUT, "%s: entry %d has mean %g and scale %g", what,
                            (int)i, (double)normaliser->mean[i], (double)normaliser->scale[i]);
    return CDM_OK;
}

void cdm_normalise(const struct cdm_normaliser *normaliser, const float *rows, size_t n_rows,
                   float *out)
{
    size_t n = (size_t)normaliser->n;
    float clip = normaliser->clip;
    const float *mean = normaliser->mean;
    const float *scale = normaliser->scale;
    for (size_t row = 0; row < n_rows; row++, rows += n, out += n)
        for (size_t i = 0; i < n; i++) {
            /* Dividing 0 by 1 keeps the loop free of branches for constant entries. */
            float off = scale[i] > 0 ? rows[i] - mean[i] : 0;
            float value = off / (scale[i] > 0 ? scale[i] : 1);
            value = value > clip ? clip : value;
            out[i] = value < -clip ? -clip : value;
        }
}
