#include "tests/unit/reference_net.h"

#include "cdmpp/core/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One network and one program on the way through it. */
struct pass {
    const struct cdm_model *model;
    int n;     /* leaves */
    int width; /* of a leaf */
    double *x; /* [n][width] */
};

static const float *weights(const struct pass *pass, const char *path, const char *part)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", path, part);
    for (int32_t i = 0; i < pass->model->n_weights; i++)
        if (!strcmp(pass->model->weights[i].name, name))
            return pass->model->weights[i].values;
    fprintf(stderr, "no weights \"%s\"\n", name);
    abort();
}

static void linear(const struct pass *pass, const char *path, const double *x, int in, double *y,
                   int out)
{
    const float *weight = weights(pass, path, "weight");
    const float *bias = weights(pass, path, "bias");
    for (int o = 0; o < out; o++) {
        y[o] = (double)bias[o];
        for (int i = 0; i < in; i++)
            y[o] += (double)weight[o * in + i] * x[i];
    }
}

static void norm(const struct pass *pass, const char *path, const double *x, double *y, int n)
{
    const float *gain = weights(pass, path, "gain");
    const float *bias = weights(pass, path, "bias");
    double mean = 0;
    double variance = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean) / n;
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(variance + 1e-5) * (double)gain[i] + (double)bias[i];
}

static void silu(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] /= 1 + exp(-x[i]);
}

/* The share that each leaf has in what `leaf` sees, by one head. */
static void attention_shares(const struct pass *pass, const double *query, const double *keys,
                             int start, int size, double *shares)
{
    double most = -INFINITY;
    double sum = 0;
    for (int k = 0; k < pass->n; k++) {
        shares[k] = 0;
        for (int i = start; i < start + size; i++)
            shares[k] += query[i] * keys[k * pass->width + i] / sqrt(size);
        most = fmax(most, shares[k]);
    }
    for (int k = 0; k < pass->n; k++)
        sum += shares[k] = exp(shares[k] - most);
    for (int k = 0; k < pass->n; k++)
        shares[k] /= sum;
}

static void attend(const struct pass *pass, int layer)
{
    int n = pass->n;
    int width = pass->width;
    int size = width / pass->model->net.heads;
    char path[64];
    double *normed = cdm_alloc((size_t)width, sizeof(double));
    double *projected = cdm_alloc((size_t)(3 * n * width), sizeof(double));
    double *shares = cdm_alloc((size_t)n, sizeof(double));
    double *mixed = cdm_alloc((size_t)width, sizeof(double));
    const char *const parts[] = {"query", "key", "value"};
    for (int leaf = 0; leaf < n; leaf++) {
        snprintf(path, sizeof path, "encoder.%d.attention.norm", layer);
        norm(pass, path, pass->x + leaf * width, normed, width);
        for (int part = 0; part < 3; part++) {
            snprintf(path, sizeof path, "encoder.%d.attention.%s", layer, parts[part]);
            linear(pass, path, normed, width, projected + (part * n + leaf) * width, width);
        }
    }
    const double *keys = projected + n * width;
    const double *values = projected + 2 * n * width;
    snprintf(path, sizeof path, "encoder.%d.attention.output", layer);
    for (int leaf = 0; leaf < n; leaf++) {
        memset(mixed, 0, (size_t)width * sizeof(double));
        for (int start = 0; start < width; start += size) {
            attention_shares(pass, projected + leaf * width, keys, start, size, shares);
            for (int k = 0; k < n; k++)
                for (int i = start; i < start + size; i++)
                    mixed[i] += shares[k] * values[k * width + i];
        }
        linear(pass, path, mixed, width, normed, width);
        for (int i = 0; i < width; i++)
            pass->x[leaf * width + i] += normed[i];
    }
    free(normed);
    free(projected);
    free(shares);
    free(mixed);
}

static void feed_forward(const struct pass *pass, int layer)
{
    int width = pass->width;
    int ffn = pass->model->net.ffn;
    char path[64];
    double *y = cdm_alloc((size_t)width, sizeof(double));
    double *hidden = cdm_alloc((size_t)ffn, sizeof(double));
    for (double *x = pass->x; x < pass->x + pass->n * width; x += width) {
        snprintf(path, sizeof path, "encoder.%d.ffn.norm", layer);
        norm(pass, path, x, y, width);
        snprintf(path, sizeof path, "encoder.%d.ffn.in", layer);
        linear(pass, path, y, width, hidden, ffn);
        silu(hidden, ffn);
        snprintf(path, sizeof path, "encoder.%d.ffn.out", layer);
        linear(pass, path, hidden, ffn, y, width);
        for (int i = 0; i < width; i++)
            x[i] += y[i];
    }
    free(y);
    free(hidden);
}

/* Leaf inputs and the sinusoid of their positions. */
static void start(const struct pass *pass, const float *leaves, const float *positions)
{
    int n_features = pass->model->net.n_features;
    double *row = cdm_alloc((size_t)n_features, sizeof(double));
    for (int leaf = 0; leaf < pass->n; leaf++) {
        for (int i = 0; i < n_features; i++)
            row[i] = (double)leaves[leaf * n_features + i];
        double *x = pass->x + leaf * pass->width;
        linear(pass, "input", row, n_features, x, pass->width);
        for (int i = 0; i < pass->width; i += 2) {
            double angle = (double)positions[leaf] / pow(10000, (double)i / pass->width);
            x[i] += sin(angle);
            x[i + 1] += cos(angle);
        }
    }
    free(row);
}

/* joined: mean, sum / 8 and maximum over the leaves, [3][width]. */
static void pool(const struct pass *pass, double *joined)
{
    int width = pass->width;
    double *y = cdm_alloc((size_t)width, sizeof(double));
    for (int i = 0; i < width; i++)
        joined[2 * width + i] = -INFINITY;
    for (int leaf = 0; leaf < pass->n; leaf++) {
        norm(pass, "encoder.norm", pass->x + leaf * width, y, width);
        for (int i = 0; i < width; i++) {
            joined[i] += y[i] / pass->n;
            joined[width + i] += y[i] / 8;
            joined[2 * width + i] = fmax(joined[2 * width + i], y[i]);
        }
    }
    free(y);
}

static void summarise(const struct pass *pass, const float *summary, double *out)
{
    const struct cdm_net_config *net = &pass->model->net;
    double *in = cdm_alloc((size_t)net->n_summary, sizeof(double));
    double *hidden = cdm_alloc((size_t)net->summary_width, sizeof(double));
    for (int i = 0; i < net->n_summary; i++)
        in[i] = (double)summary[i];
    linear(pass, "summary.in", in, net->n_summary, hidden, net->summary_width);
    silu(hidden, net->summary_width);
    linear(pass, "summary.out", hidden, net->summary_width, out, net->summary_width);
    silu(out, net->summary_width);
    free(in);
    free(hidden);
}

static double run_head(const struct pass *pass, double *h, const float *device)
{
    const struct cdm_net_config *net = &pass->model->net;
    int width = net->head_width;
    size_t room = (size_t)(width + net->device_width + net->n_device);
    char path[64];
    double *z = cdm_alloc(room, sizeof(double));
    double *u = cdm_alloc(room, sizeof(double));
    double *scale = cdm_alloc(room, sizeof(double));
    double *shift = cdm_alloc(room, sizeof(double));
    for (int i = 0; i < net->n_device; i++)
        z[i] = (double)device[i];
    linear(pass, "device.in", z, net->n_device, u, net->device_width);
    silu(u, net->device_width);
    linear(pass, "device.out", u, net->device_width, z, net->device_width);
    silu(z, net->device_width);
    for (int layer = 0; layer < net->head_layers; layer++) {
        snprintf(path, sizeof path, "head.%d.film.scale", layer);
        linear(pass, path, z, net->device_width, scale, width);
        snprintf(path, sizeof path, "head.%d.film.shift", layer);
        linear(pass, path, z, net->device_width, shift, width);
        snprintf(path, sizeof path, "head.%d.norm", layer);
        norm(pass, path, h, u, width);
        for (int i = 0; i < width; i++)
            u[i] = u[i] * (1 + scale[i]) + shift[i];
        snprintf(path, sizeof path, "head.%d.in", layer);
        linear(pass, path, u, width, scale, width);
        silu(scale, width);
        snprintf(path, sizeof path, "head.%d.out", layer);
        linear(pass, path, scale, width, u, width);
        for (int i = 0; i < width; i++)
            h[i] += u[i];
    }
    norm(pass, "head.norm", h, u, width);
    double out;
    linear(pass, "output", u, width, &out, 1);
    free(z);
    free(u);
    free(scale);
    free(shift);
    return out;
}

double reference_predict(const struct cdm_model *model, const struct cdm_torch_batch *batch,
                         int32_t pair)
{
    const struct cdm_net_config *net = &model->net;
    int program = batch->pair_program[pair];
    struct pass pass = {model, batch->n_leaves[program], net->width, NULL};
    int joined_width = 3 * net->width + (net->n_summary ? net->summary_width : 0);
    pass.x = cdm_alloc((size_t)(pass.n * pass.width), sizeof(double));
    double *joined = cdm_alloc((size_t)joined_width, sizeof(double));
    double *h = cdm_alloc((size_t)net->head_width, sizeof(double));
    start(&pass, batch->leaves + program * batch->max_leaves * batch->n_features,
          batch->positions + program * batch->max_leaves);
    for (int layer = 0; layer < net->layers; layer++) {
        attend(&pass, layer);
        feed_forward(&pass, layer);
    }
    pool(&pass, joined);
    if (net->n_summary)
        summarise(&pass, batch->summary + program * batch->n_summary, joined + 3 * net->width);
    linear(&pass, "join", joined, joined_width, h, net->head_width);
    double out = run_head(&pass, h, batch->devices + pair * batch->n_device);
    free(pass.x);
    free(joined);
    free(h);
    return out;
}
