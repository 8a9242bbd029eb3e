#include "models/torch/net.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <cmath>
#include <stdexcept>

namespace cdm
{

using at::Tensor;

namespace
{

/* Keeps the sum in the range of the mean and the maximum for common programs (about 8 leaves). */
constexpr double sum_scale = 0.125;
constexpr double position_base = 10000;
/* Padding gets this score before the softmax; exp(score - maximum) is then exactly 0. */
constexpr double masked_score = -1e9;
constexpr int64_t max_weights = int64_t(1) << 28;

void check_range(const char *name, int64_t value, int64_t least, int64_t most)
{
    if (value < least || value > most)
        throw std::invalid_argument(std::string("network: ") + name + " must be from " +
                                    std::to_string(least) + " to " + std::to_string(most) +
                                    ", not " + std::to_string(value));
}

void check(const cdm_net_config &c)
{
    check_range("n_features", c.n_features, 1, 65536);
    check_range("n_summary", c.n_summary, 0, 65536);
    check_range("n_device", c.n_device, 1, 65536);
    check_range("width", c.width, 2, 4096);
    check_range("layers", c.layers, 0, 64);
    check_range("heads", c.heads, 1, 64);
    check_range("ffn", c.ffn, 1, 16384);
    check_range("summary_width", c.summary_width, c.n_summary > 0 ? 1 : 0, 4096);
    check_range("device_width", c.device_width, 1, 4096);
    check_range("head_width", c.head_width, 1, 4096);
    check_range("head_layers", c.head_layers, 0, 64);
    if (c.width % (2 * c.heads) != 0)
        throw std::invalid_argument("network: width " + std::to_string(c.width) +
                                    " is not a multiple of 2 * heads, with " +
                                    std::to_string(c.heads) + " heads");
    if (!(c.dropout >= 0 && c.dropout < 1))
        throw std::invalid_argument("network: dropout must be at least 0 and less than 1");
}

Tensor apply(const Linear &linear, const Tensor &x)
{
    return at::linear(x, linear.weight, linear.bias);
}

Tensor apply(const Norm &norm, const Tensor &x)
{
    return at::layer_norm(x, {x.size(-1)}, norm.gain, norm.bias);
}

/* [P][L] -> [P][L][width]: sin and cos of the position at falling frequencies, in turn. */
Tensor sinusoid(const Tensor &positions, int64_t width)
{
    Tensor pair = at::arange(width / 2, positions.options());
    Tensor frequency = at::exp(pair * (-2 * std::log(position_base) / double(width)));
    Tensor angle = positions.unsqueeze(-1) * frequency;
    return at::stack({at::sin(angle), at::cos(angle)}, -1).flatten(-2);
}

} /* namespace */

void seed_draws(const at::Device &device, uint64_t value)
{
    if (!device.is_cpu()) {
        at::manual_seed(value);
        return;
    }
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    generator.set_current_seed(value);
}

struct Net::Builder {
    Net *net = nullptr; /* NULL: only count */
    int64_t used = 0;

    Tensor take(at::IntArrayRef shape)
    {
        int64_t n = c10::multiply_integers(shape);
        int64_t start = used;
        used += n;
        if (used > max_weights)
            throw std::invalid_argument("network: more than " + std::to_string(max_weights) +
                                        " weights");
        if (!net)
            return Tensor();
        Tensor view = net->weights.narrow(0, start, n).view(shape).detach();
        net->leaves.push_back(view);
        return view;
    }

    /* Drawn on the CPU, so that the same seed gives the same weights on every device. */
    static void draw(const Tensor &values, double bound)
    {
        values.copy_((at::rand(values.sizes(), at::kFloat) * 2 - 1) * bound);
    }

    void name(const std::string &name, const Tensor &values)
    {
        if (net)
            net->tensors.push_back({name, values});
    }

    /* `parts` are the names of equal shares of the rows; one empty name for an undivided array.
     * Uniform within 1 / sqrt(in), or zero. */
    Linear linear(const std::string &path, int64_t in, int64_t out,
                  const std::vector<std::string> &parts = {""}, bool zero = false)
    {
        Linear linear{take({out, in}), take({out})};
        if (!net)
            return linear;
        if (!zero) {
            double bound = 1 / std::sqrt(double(in));
            draw(linear.weight, bound);
            draw(linear.bias, bound);
        }
        int64_t rows = out / int64_t(parts.size());
        for (size_t i = 0; i < parts.size(); i++) {
            int64_t row = int64_t(i) * rows;
            name(path + parts[i] + ".weight", linear.weight.narrow(0, row, rows));
            name(path + parts[i] + ".bias", linear.bias.narrow(0, row, rows));
        }
        return linear;
    }

    Norm norm(const std::string &path, int64_t width)
    {
        Norm norm{take({width}), take({width})};
        if (!net)
            return norm;
        norm.gain.fill_(1);
        name(path + ".gain", norm.gain);
        name(path + ".bias", norm.bias);
        return norm;
    }
};

void Net::build(Builder &b)
{
    const cdm_net_config &c = config;
    encoder.resize(size_t(c.layers));
    head.resize(size_t(c.head_layers));
    input = b.linear("input", c.n_features, c.width);
    for (int i = 0; i < c.layers; i++) {
        std::string path = "encoder." + std::to_string(i) + ".";
        EncoderLayer &layer = encoder[size_t(i)];
        layer.attention_norm = b.norm(path + "attention.norm", c.width);
        layer.attention_input =
            b.linear(path + "attention", c.width, 3 * c.width, {".query", ".key", ".value"});
        layer.attention_output = b.linear(path + "attention.output", c.width, c.width);
        layer.ffn_norm = b.norm(path + "ffn.norm", c.width);
        layer.ffn_in = b.linear(path + "ffn.in", c.width, c.ffn);
        layer.ffn_out = b.linear(path + "ffn.out", c.ffn, c.width);
    }
    encoder_norm = b.norm("encoder.norm", c.width);
    int64_t joined = 3 * int64_t(c.width);
    if (c.n_summary > 0) {
        summary_in = b.linear("summary.in", c.n_summary, c.summary_width);
        summary_out = b.linear("summary.out", c.summary_width, c.summary_width);
        joined += c.summary_width;
    }
    join = b.linear("join", joined, c.head_width);
    device_in = b.linear("device.in", c.n_device, c.device_width);
    device_out = b.linear("device.out", c.device_width, c.device_width);
    for (int i = 0; i < c.head_layers; i++) {
        std::string path = "head." + std::to_string(i) + ".";
        HeadLayer &layer = head[size_t(i)];
        layer.norm = b.norm(path + "norm", c.head_width);
        /* Zero, so that training starts from a head that is the same for all devices. */
        layer.film =
            b.linear(path + "film", c.device_width, 2 * c.head_width, {".scale", ".shift"}, true);
        layer.in = b.linear(path + "in", c.head_width, c.head_width);
        layer.out = b.linear(path + "out", c.head_width, c.head_width);
    }
    head_norm = b.norm("head.norm", c.head_width);
    output = b.linear("output", c.head_width, 1);
}

Net::Net(const cdm_net_config &config_, const at::Device &device_, uint64_t seed)
    : config(config_), device(device_)
{
    check(config);
    Builder builder;
    build(builder);
    weights = at::zeros({builder.used}, at::TensorOptions(at::kFloat).device(device));
    cdm::seed_draws(at::Device(at::kCPU), seed);
    builder.net = this;
    builder.used = 0;
    build(builder);
}

Tensor Net::attend(const EncoderLayer &layer, const Tensor &x, const Tensor &bias,
                   bool training) const
{
    int64_t programs = x.size(0);
    int64_t length = x.size(1);
    int64_t width = config.width;
    int64_t heads = config.heads;
    int64_t size = width / heads;
    Tensor projected = apply(layer.attention_input, apply(layer.attention_norm, x))
                           .view({programs, length, 3, heads, size})
                           .permute({2, 0, 3, 1, 4})
                           .reshape({3, programs * heads, length, size});
    std::vector<Tensor> qkv = projected.unbind(0);
    Tensor scores = at::bmm(qkv[0] * (1 / std::sqrt(double(size))), qkv[1].transpose(1, 2));
    scores = scores.view({programs, heads, length, length}) + bias;
    Tensor share = at::softmax(scores, -1).view({programs * heads, length, length});
    share = at::dropout(share, config.dropout, training);
    Tensor mixed = at::bmm(share, qkv[2])
                       .view({programs, heads, length, size})
                       .transpose(1, 2)
                       .reshape({programs, length, width});
    return at::dropout(apply(layer.attention_output, mixed), config.dropout, training);
}

Tensor Net::encode(const Inputs &in, bool training) const
{
    Tensor x = apply(input, in.leaves) + sinusoid(in.positions, config.width);
    Tensor bias = ((1 - in.valid) * masked_score).unsqueeze(1).unsqueeze(1);
    for (const EncoderLayer &layer : encoder) {
        x = x + attend(layer, x, bias, training);
        Tensor hidden = at::silu(apply(layer.ffn_in, apply(layer.ffn_norm, x)));
        hidden = at::dropout(hidden, config.dropout, training);
        x = x + at::dropout(apply(layer.ffn_out, hidden), config.dropout, training);
    }
    x = apply(encoder_norm, x);
    Tensor sum = at::bmm(in.valid.unsqueeze(1), x).squeeze(1);
    Tensor most = (x + ((1 - in.valid) * masked_score).unsqueeze(-1)).amax(1);
    return at::cat({sum / in.n_leaves, sum * sum_scale, most}, 1);
}

Tensor Net::embed(const Inputs &in, bool training) const
{
    Tensor pooled = encode(in, training);
    if (config.n_summary > 0) {
        Tensor summary = at::silu(apply(summary_in, in.summary));
        summary = at::silu(apply(summary_out, summary));
        pooled = at::cat({pooled, summary}, 1);
    }
    return apply(join, pooled);
}

Tensor Net::forward(const Inputs &in, bool training) const
{
    Tensor h = at::index_select(embed(in, training), 0, in.pair_program);
    Tensor z = at::silu(apply(device_out, at::silu(apply(device_in, in.devices))));
    for (const HeadLayer &layer : head) {
        std::vector<Tensor> film = apply(layer.film, z).chunk(2, 1);
        Tensor u = apply(layer.norm, h) * (1 + film[0]) + film[1];
        u = at::dropout(at::silu(apply(layer.in, u)), config.dropout, training);
        h = h + apply(layer.out, u);
    }
    return apply(output, apply(head_norm, h)).squeeze(1);
}

} /* namespace cdm */
