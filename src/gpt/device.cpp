#include "gpt/device.h"

#include <ATen/Context.h>
#include <stdlib.h>

#include <regex>

#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// MPS on M1 and M2 adds garbage to products with so many summands (pytorch/pytorch 195163).
constexpr std::int64_t kMpsSummands = 32767;

bool is_here(const at::Device& device) {
  if (device.is_cpu()) return true;
  if (device.is_mps()) return at::hasMPS();
  return static_cast<std::size_t>(device.has_index() ? device.index() : 0) < at::getNumGPUs();
}

void refuse_miscomputed(const at::Device& device, const Config& config) {
  if (!device.is_mps()) return;
  const std::int64_t batch_tokens = config.train.batch_size * config.model.block_size;
  if (config.model.vocab_size < kMpsSummands && batch_tokens < kMpsSummands) return;
  fail(
      ExitCode::kBadInput,
      "train.device mps: products with {} or more summands may be wrong there; the vocabulary ({}) "
      "and train.batch_size * model.block_size ({}) must stay below it, or train on cpu",
      kMpsSummands, config.model.vocab_size, batch_tokens);
}

void ask_for_determinism(const at::Device& device) {
  if (device.is_cpu()) return;  // deterministic as it is
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  // MPS has no deterministic form of some operators: a warning there, since nothing is promised.
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/device.is_mps());
}

}  // namespace

std::vector<std::string> devices_here() {
  std::vector<std::string> names = {"cpu"};
  if (at::hasMPS()) names.emplace_back("mps");
  for (std::size_t i = 0; i < at::getNumGPUs(); ++i) names.push_back("cuda:" + std::to_string(i));
  return names;
}

at::Device open_device(const std::string& name, const Config& config) {
  static const std::regex kNames("cpu|mps|cuda(:[0-9]{1,2})?");
  if (!std::regex_match(name, kNames)) {
    fail(ExitCode::kBadInput, "train.device is '{}', expected cpu, mps, cuda or cuda:N", name);
  }
  const at::Device device(name);
  refuse_miscomputed(device, config);
  if (!is_here(device)) {
    fail(ExitCode::kResources, "There is no device {} for this LibTorch; it has: {}", name,
         join(devices_here(), ", "));
  }
  ask_for_determinism(device);
  return device;
}

at::ScalarType scalar_type(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? at::kDouble : at::kFloat;
}

at::ScalarType widest_float(const at::Device& device) {
  return device.is_mps() ? at::kFloat : at::kDouble;
}

std::size_t updates_per_read(const at::Device& device) { return device.is_cpu() ? 1 : 10; }

bool is_reproducible(const std::string& name) { return !at::Device(name).is_mps(); }

}  // namespace sweep
