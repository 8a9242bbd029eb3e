#include "models/torch/torch_shim.h"

#include "models/torch/net.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <torch/version.h>

/* The handles of the header. */
struct cdm_torch_model {
    cdm::Net net;
    bool has_trainer;
};

struct cdm_torch_trainer {
    cdm_torch_model *model;
    cdm_trainer_options options;
    float rate;
    int64_t steps;
    at::Tensor gradient; /* flat, like Net::weights; each leaf's gradient is a view of it */
    at::Tensor decays;   /* flat, 1 where weight decay acts */
    at::Tensor mean;
    at::Tensor square;
    at::Tensor average;
    std::vector<cdm::Named> states;
};

namespace
{

using at::Tensor;

/* ---- errors ---- */

struct Failure : std::runtime_error {
    Failure(cdm_status status_, const std::string &message)
        : std::runtime_error(message), status(status_)
    {
    }
    cdm_status status;
};

/* LibTorch says only in the text that memory ran out, and its texts go on with advice and
 * addresses: the first line is what a user can read. */
cdm_status report(cdm_error *err, const char *text)
{
    std::string line(text, std::strcspn(text, "\n"));
    bool memory = line.find("out of memory") != std::string::npos ||
                  line.find("can't allocate memory") != std::string::npos;
    return cdm_fail(err, memory ? CDM_NO_MEMORY : CDM_BUG, "LibTorch: %s", line.c_str());
}

/* Runs the body of an exported function and turns every exception into a status. */
template <class Body> cdm_status guard(cdm_error *err, Body &&body) noexcept
{
    try {
        body();
        return CDM_OK;
    } catch (const Failure &failure) {
        return cdm_fail(err, failure.status, "%s", failure.what());
    } catch (const c10::Error &error) {
        return report(err, error.what_without_backtrace());
    } catch (const std::bad_alloc &) {
        return cdm_fail(err, CDM_NO_MEMORY, "LibTorch: out of memory");
    } catch (const std::invalid_argument &error) {
        return cdm_fail(err, CDM_BAD_INPUT, "%s", error.what());
    } catch (const std::exception &error) {
        return report(err, error.what());
    } catch (...) {
        return cdm_fail(err, CDM_BUG, "LibTorch: an exception of unknown type");
    }
}

void require(bool holds, const char *what)
{
    if (!holds)
        throw Failure(CDM_BUG, std::string("call of the LibTorch plug-in: ") + what);
}

/* ---- process and devices ---- */

cdm_status setup(int32_t n_threads, cdm_error *err)
{
    return guard(err, [&] {
        require(n_threads >= 1, "at least one thread is needed");
        at::set_num_threads(n_threads);
    });
}

/* The CUDA part is half a gigabyte and needs libraries that a machine without a GPU lacks, so the
 * plug-in is not linked against it; once loaded it registers itself. It lies beside
 * libtorch_cpu.so. LibTorch looks for what has registered only once, at the first question about
 * CUDA, so nothing here may ask before (at::hasCUDA(), at::manual_seed()). */
void load_cuda()
{
    std::string path = "libtorch_cuda.so";
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&at::get_num_threads), &info) && info.dli_fname) {
        std::string beside = info.dli_fname;
        path = beside.substr(0, beside.rfind('/') + 1) + path;
    }
    /* Loading it again is nothing to the system. */
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
        const char *reason = dlerror();
        throw Failure(CDM_UNAVAILABLE,
                      std::string("LibTorch has no CUDA part here: ") + (reason ? reason : path));
    }
}

at::Device find_device(const char *name)
{
    require(name != nullptr, "no device name");
    std::string text = name;
    bool cuda =
        text == "cuda" || (text.rfind("cuda:", 0) == 0 && text.size() > 5 && text.size() < 9 &&
                           text.find_first_not_of("0123456789", 5) == std::string::npos);
    if (!cuda && text != "cpu")
        throw Failure(CDM_USAGE,
                      "no such device to run on: \"" + text + "\" (cpu, cuda or cuda:N)");
    if (!cuda)
        return at::Device(at::kCPU);
    load_cuda();
    int index = text.size() > 5 ? std::stoi(text.substr(5)) : 0;
    at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    try {
        at::zeros({1}, at::TensorOptions(at::kFloat).device(device));
    } catch (const c10::Error &error) {
        const char *why = error.what_without_backtrace();
        throw Failure(CDM_UNAVAILABLE,
                      text + " cannot be used: " + std::string(why, std::strcspn(why, "\n")));
    }
    return device;
}

cdm_status has_device(const char *name, cdm_error *err)
{
    return guard(err, [&] { find_device(name); });
}

/* ---- arrays ---- */

void describe(const std::vector<cdm::Named> &all, int32_t i, cdm_torch_tensor *tensor)
{
    require(i >= 0 && size_t(i) < all.size(), "no such array");
    const cdm::Named &named = all[size_t(i)];
    require(named.values.dim() <= CDM_TORCH_MAX_DIMS, "an array has too many dimensions");
    *tensor = {};
    tensor->name = named.name.c_str();
    tensor->n_dims = int32_t(named.values.dim());
    for (int32_t d = 0; d < tensor->n_dims; d++)
        tensor->shape[d] = named.values.size(d);
    tensor->n_values = named.values.numel();
}

/* The caller's array as a tensor. It must not outlive the call. */
Tensor borrow(const float *values, at::IntArrayRef shape)
{
    return at::from_blob(const_cast<float *>(values), shape, at::TensorOptions(at::kFloat));
}

void read_array(const std::vector<cdm::Named> &all, int32_t i, float *values, int64_t n)
{
    require(i >= 0 && size_t(i) < all.size(), "no such array");
    const Tensor &from = all[size_t(i)].values;
    require(values && n == from.numel(), "an array has another size");
    borrow(values, from.sizes()).copy_(from);
}

void write_array(const std::vector<cdm::Named> &all, int32_t i, const float *values, int64_t n)
{
    require(i >= 0 && size_t(i) < all.size(), "no such array");
    Tensor to = all[size_t(i)].values;
    require(values && n == to.numel(), "an array has another size");
    to.copy_(borrow(values, to.sizes()));
}

void check_batch(const cdm_net_config &config, const cdm_torch_batch &b)
{
    require(b.n_programs >= 1 && b.max_leaves >= 1 && b.n_pairs >= 0, "an empty batch");
    require(b.n_features == config.n_features, "n_features is not the network's");
    require(b.n_summary == config.n_summary, "n_summary is not the network's");
    require(b.n_device == config.n_device || b.n_pairs == 0, "n_device is not the network's");
    require(b.leaves && b.n_leaves && b.positions, "a batch without leaves");
    require(b.summary || b.n_summary == 0, "a batch without summary");
    require((b.pair_program && b.devices) || b.n_pairs == 0, "a batch without pairs");
    for (int32_t i = 0; i < b.n_programs; i++)
        require(b.n_leaves[i] >= 1 && b.n_leaves[i] <= b.max_leaves, "a leaf count out of range");
    for (int32_t i = 0; i < b.n_pairs; i++)
        require(b.pair_program[i] >= 0 && b.pair_program[i] < b.n_programs,
                "a pair of a program that is not there");
}

cdm::Inputs take_batch(const cdm::Net &net, const cdm_torch_batch *batch)
{
    require(batch != nullptr, "no batch");
    const cdm_torch_batch &b = *batch;
    check_batch(net.config, b);
    int64_t programs = b.n_programs;
    int64_t length = b.max_leaves;
    auto ints = [](const int32_t *values, int64_t n) {
        return at::from_blob(const_cast<int32_t *>(values), {n}, at::TensorOptions(at::kInt));
    };
    cdm::Inputs in;
    Tensor counts = ints(b.n_leaves, programs).unsqueeze(1);
    in.leaves = borrow(b.leaves, {programs, length, b.n_features}).to(net.device);
    in.positions = borrow(b.positions, {programs, length}).to(net.device);
    in.valid = at::arange(length, at::TensorOptions(at::kInt))
                   .unsqueeze(0)
                   .lt(counts)
                   .to(net.device, at::kFloat);
    in.n_leaves = counts.to(net.device, at::kFloat);
    if (b.n_summary > 0)
        in.summary = borrow(b.summary, {programs, b.n_summary}).to(net.device);
    if (b.n_pairs > 0) {
        in.pair_program = ints(b.pair_program, b.n_pairs).to(net.device, at::kLong);
        in.devices = borrow(b.devices, {b.n_pairs, b.n_device}).to(net.device);
    }
    return in;
}

/* ---- the model ---- */

cdm_status model_new(const cdm_net_config *config, const char *device, uint64_t seed,
                     cdm_torch_model **model, cdm_error *err)
{
    return guard(err, [&] {
        require(config && model, "no config");
        c10::NoGradGuard no_grad;
        *model = new cdm_torch_model{cdm::Net(*config, find_device(device), seed), false};
    });
}

void model_free(cdm_torch_model *model)
{
    delete model;
}

int32_t model_n_tensors(const cdm_torch_model *model)
{
    return int32_t(model->net.tensors.size());
}

cdm_status model_tensor(const cdm_torch_model *model, int32_t i, cdm_torch_tensor *tensor,
                        cdm_error *err)
{
    return guard(err, [&] { describe(model->net.tensors, i, tensor); });
}

cdm_status model_read(const cdm_torch_model *model, int32_t i, float *values, int64_t n,
                      cdm_error *err)
{
    return guard(err, [&] {
        c10::NoGradGuard no_grad;
        read_array(model->net.tensors, i, values, n);
    });
}

cdm_status model_write(cdm_torch_model *model, int32_t i, const float *values, int64_t n,
                       cdm_error *err)
{
    return guard(err, [&] {
        c10::NoGradGuard no_grad;
        write_array(model->net.tensors, i, values, n);
    });
}

cdm_status predict(cdm_torch_model *model, const cdm_torch_batch *batch, float *out, cdm_error *err)
{
    return guard(err, [&] {
        c10::NoGradGuard no_grad;
        cdm::Inputs in = take_batch(model->net, batch);
        if (batch->n_pairs > 0)
            borrow(out, {batch->n_pairs}).copy_(model->net.forward(in, false));
    });
}

cdm_status embed(cdm_torch_model *model, const cdm_torch_batch *batch, float *out, cdm_error *err)
{
    return guard(err, [&] {
        c10::NoGradGuard no_grad;
        cdm::Inputs in = take_batch(model->net, batch);
        borrow(out, {batch->n_programs, model->net.config.head_width})
            .copy_(model->net.embed(in, false));
    });
}

/* ---- training ---- */

cdm_status trainer_new(cdm_torch_model *model, const cdm_trainer_options *options,
                       cdm_torch_trainer **trainer, cdm_error *err)
{
    return guard(err, [&] {
        require(model && options && trainer, "no model to train");
        require(!model->has_trainer, "the model has a trainer already");
        c10::NoGradGuard no_grad;
        cdm::Net &net = model->net;
        auto made = std::make_unique<cdm_torch_trainer>();
        made->model = model;
        made->options = *options;
        made->gradient = at::zeros_like(net.weights);
        made->decays = at::zeros_like(net.weights);
        made->mean = at::zeros_like(net.weights);
        made->square = at::zeros_like(net.weights);
        made->states = {{"mean", made->mean}, {"square", made->square}};
        if (options->average > 0) {
            made->average = net.weights.clone();
            made->states.push_back({"average", made->average});
        }
        int64_t start = 0;
        for (Tensor &leaf : net.leaves) {
            leaf.requires_grad_(true);
            leaf.mutable_grad() = made->gradient.narrow(0, start, leaf.numel()).view(leaf.sizes());
            if (leaf.dim() >= 2)
                made->decays.narrow(0, start, leaf.numel()).fill_(1);
            start += leaf.numel();
        }
        model->has_trainer = true;
        *trainer = made.release();
    });
}

void trainer_free(cdm_torch_trainer *trainer)
{
    if (!trainer)
        return;
    for (Tensor &leaf : trainer->model->net.leaves) {
        leaf.mutable_grad() = Tensor();
        leaf.requires_grad_(false);
    }
    trainer->model->has_trainer = false;
    delete trainer;
}

void trainer_set_rate(cdm_torch_trainer *trainer, float rate)
{
    trainer->rate = rate;
}

Tensor pair_loss(const Tensor &predicted, const Tensor &labels, const cdm_loss_options &loss)
{
    switch (loss.kind) {
    case CDM_LOSS_SQUARED:
        return (predicted - labels).square();
    case CDM_LOSS_HUBER:
        require(loss.delta > 0, "the Huber loss needs a positive delta");
        return at::huber_loss(predicted, labels, at::Reduction::None, loss.delta);
    }
    throw Failure(CDM_BUG, "call of the LibTorch plug-in: no such loss");
}

/* AdamW, with its bias corrections in the step size and in epsilon's place as usual. */
void update(cdm_torch_trainer &t, const Tensor &norm)
{
    const cdm_trainer_options &o = t.options;
    Tensor &weights = t.model->net.weights;
    double step = double(t.steps + 1);
    double correct1 = 1 - std::pow(double(o.beta1), step);
    double correct2 = 1 - std::pow(double(o.beta2), step);
    if (o.clip_norm > 0)
        t.gradient.mul_((o.clip_norm / (norm + 1e-6)).clamp_max(1));
    t.mean.mul_(o.beta1).add_(t.gradient, 1 - o.beta1);
    t.square.mul_(o.beta2).addcmul_(t.gradient, t.gradient, 1 - o.beta2);
    Tensor spread = (t.square / correct2).sqrt_().add_(o.epsilon);
    if (o.weight_decay > 0)
        weights.addcmul_(weights, t.decays, -double(t.rate) * o.weight_decay);
    weights.addcdiv_(t.mean, spread, -double(t.rate) / correct1);
    if (o.average > 0) {
        /* Early weights are far from the goal: the average forgets them faster. */
        double keep = std::min(double(o.average), (1 + step) / (10 + step));
        t.average.lerp_(weights, 1 - keep);
    }
}

cdm_status trainer_step(cdm_torch_trainer *trainer, const cdm_torch_batch *batch,
                        const float *labels, const float *weights, const cdm_loss_options *loss,
                        cdm_step_result *result, cdm_error *err)
{
    return guard(err, [&] {
        cdm_torch_trainer &t = *trainer;
        cdm::Net &net = t.model->net;
        cdm::Inputs in = take_batch(net, batch);
        require(batch->n_pairs > 0 && labels && weights && loss && result, "a step without pairs");
        Tensor label = borrow(labels, {batch->n_pairs}).to(net.device);
        Tensor weight = borrow(weights, {batch->n_pairs}).to(net.device);
        /* So that a resumed training draws the same masks as one that ran through. */
        cdm::seed_draws(net.device, t.options.seed + uint64_t(t.steps));
        t.gradient.zero_();
        Tensor total =
            (pair_loss(net.forward(in, true), label, *loss) * weight).sum() / weight.sum();
        total.backward();
        c10::NoGradGuard no_grad;
        Tensor norm = t.gradient.norm();
        result->loss = total.item<float>();
        result->gradient_norm = norm.item<float>();
        if (!std::isfinite(result->loss) || !std::isfinite(result->gradient_norm))
            throw Failure(CDM_BAD_INPUT, "training diverged at step " + std::to_string(t.steps) +
                                             ": the loss is " + std::to_string(result->loss) +
                                             ", the gradient's norm " +
                                             std::to_string(result->gradient_norm));
        update(t, norm);
        t.steps++;
    });
}

cdm_status trainer_swap_average(cdm_torch_trainer *trainer, cdm_error *err)
{
    return guard(err, [&] {
        if (!trainer->average.defined())
            return;
        c10::NoGradGuard no_grad;
        Tensor &weights = trainer->model->net.weights;
        Tensor kept = weights.clone();
        weights.copy_(trainer->average);
        trainer->average.copy_(kept);
    });
}

int64_t trainer_steps(const cdm_torch_trainer *trainer)
{
    return trainer->steps;
}

void trainer_set_steps(cdm_torch_trainer *trainer, int64_t steps)
{
    trainer->steps = steps;
}

int32_t trainer_n_states(const cdm_torch_trainer *trainer)
{
    return int32_t(trainer->states.size());
}

cdm_status trainer_state(const cdm_torch_trainer *trainer, int32_t i, cdm_torch_tensor *tensor,
                         cdm_error *err)
{
    return guard(err, [&] { describe(trainer->states, i, tensor); });
}

cdm_status trainer_read(const cdm_torch_trainer *trainer, int32_t i, float *values, int64_t n,
                        cdm_error *err)
{
    return guard(err, [&] { read_array(trainer->states, i, values, n); });
}

cdm_status trainer_write(cdm_torch_trainer *trainer, int32_t i, const float *values, int64_t n,
                         cdm_error *err)
{
    return guard(err, [&] { write_array(trainer->states, i, values, n); });
}

const cdm_torch_api api = {
    CDM_TORCH_ABI,
    "LibTorch " TORCH_VERSION,
    setup,
    has_device,
    model_new,
    model_free,
    model_n_tensors,
    model_tensor,
    model_read,
    model_write,
    predict,
    embed,
    trainer_new,
    trainer_free,
    trainer_set_rate,
    trainer_step,
    trainer_swap_average,
    trainer_steps,
    trainer_set_steps,
    trainer_n_states,
    trainer_state,
    trainer_read,
    trainer_write,
};

} /* namespace */

extern "C" __attribute__((visibility("default"))) const cdm_torch_api *cdm_torch_get_api(void)
{
    return &api;
}
