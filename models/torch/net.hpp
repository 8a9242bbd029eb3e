/* The network. C++ only; the C side sees it through torch_shim.h.
 *
 *   leaves [P][L][n_features] -> linear -> + sinusoid of the positions
 *     -> `layers` times: x += attention(norm(x)); x += feed_forward(norm(x))      (padding is
 * masked)
 *     -> norm -> mean, sum and maximum over the leaves of each program
 *   summary [P][n_summary] -> linear, SiLU, linear, SiLU
 *     both -> linear -> program embedding [P][head_width]
 *   device [N][n_device] -> linear, SiLU, linear, SiLU -> z
 *   for each pair: h = embedding of its program, then `head_layers` times
 *     u = norm(h) * (1 + scale(z)) + shift(z); h += linear(SiLU(linear(u)))
 *     -> norm -> linear -> one number
 *
 * All weights lie in one flat array, so that the optimiser, the running average and the checks are
 * one operation each. Everything is built from operations that LibTorch 1.13 has and that are easy
 * to write again in C. */
#ifndef CDMPP_MODELS_TORCH_NET_HPP
#define CDMPP_MODELS_TORCH_NET_HPP

#include "models/torch/torch_shim.h"

#include <ATen/ATen.h>
#include <string>
#include <vector>

namespace cdm
{

/* The arrays of a batch on the network's device. */
struct Inputs {
    at::Tensor leaves;       /* [P][L][n_features] */
    at::Tensor positions;    /* [P][L] */
    at::Tensor valid;        /* [P][L], 1 for a leaf, 0 for padding */
    at::Tensor n_leaves;     /* [P][1], as floats */
    at::Tensor summary;      /* [P][n_summary] */
    at::Tensor pair_program; /* [N], 64-bit */
    at::Tensor devices;      /* [N][n_device] */
};

struct Named {
    std::string name;
    at::Tensor values; /* a view of Net::weights */
};

struct Linear {
    at::Tensor weight; /* [out][in] */
    at::Tensor bias;   /* [out] */
};

struct Norm {
    at::Tensor gain;
    at::Tensor bias;
};

struct EncoderLayer {
    Norm attention_norm;
    Linear attention_input; /* query, key and value below each other */
    Linear attention_output;
    Norm ffn_norm;
    Linear ffn_in;
    Linear ffn_out;
};

struct HeadLayer {
    Norm norm;
    Linear film; /* scale and shift below each other */
    Linear in;
    Linear out;
};

/* Seeds what is drawn on the device, without a question about CUDA where it is the CPU. */
void seed_draws(const at::Device &device, uint64_t value);

class Net
{
  public:
    /* Throws std::invalid_argument when a size is out of range. */
    Net(const cdm_net_config &config, const at::Device &device, uint64_t seed);

    at::Tensor embed(const Inputs &in, bool training) const;   /* [P][head_width] */
    at::Tensor forward(const Inputs &in, bool training) const; /* [N] */

    cdm_net_config config;
    at::Device device;
    at::Tensor weights;             /* flat */
    std::vector<Named> tensors;     /* what a model file holds */
    std::vector<at::Tensor> leaves; /* what gradients are taken of; they cover `weights` in order */

  private:
    /* Where the constructor takes its arrays from. The first pass only counts. */
    struct Builder;

    void build(Builder &builder);
    at::Tensor attend(const EncoderLayer &layer, const at::Tensor &x, const at::Tensor &bias,
                      bool training) const;
    at::Tensor encode(const Inputs &in, bool training) const;

    Linear input;
    std::vector<EncoderLayer> encoder;
    Norm encoder_norm;
    Linear summary_in;
    Linear summary_out;
    Linear join;
    Linear device_in;
    Linear device_out;
    std::vector<HeadLayer> head;
    Norm head_norm;
    Linear output;
};

} /* namespace cdm */

#endif
