#include "gpt/identity.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include "gpt/device.h"
#include "gpt/numerics.h"
#include "gpt/synthetic_tokens.h"
#include "gpt/trainer.h"
#include "sweep/base/hash.h"

namespace sweep {
namespace {

constexpr int kSteps = 3;
constexpr std::int64_t kTokens = 4096;

/// 1024 tokens per step make the weight gradients products over K = 1024: from K = 512 on the
/// matrix libraries round differently, which shorter ones would not show.
Config tiny_config(const std::string& device, QkNorm qk_norm) {
  Config config;
  config.model.n_layer = 1;
  config.model.n_head = 2;
  config.model.n_embd = 64;
  config.model.block_size = 128;
  config.model.vocab_size = 64;
  config.model.qk_norm = qk_norm;
  config.train.max_iters = kSteps;
  config.train.batch_size = 8;
  config.train.device = device;
  return config;
}

std::string weights_after_steps(const std::string& device, QkNorm qk_norm, KernelPath path) {
  const Config config = tiny_config(device, qk_norm);
  const std::vector<Token> tokens = synthetic_tokens(config.model.vocab_size, kTokens);
  Trainer trainer(config, 1, tokens, tokens, path);
  while (trainer.step() < kSteps) trainer.update();
  return write_safetensors(trainer.weights(), {});
}

}  // namespace

NumericIdentity numeric_identity(const std::string& device, KernelPath path) {
  // Trained whatever is promised: a device that is absent or cannot do it says so here.
  const std::string weights = weights_after_steps(device, QkNorm::kNone, path) +
                              weights_after_steps(device, QkNorm::kRmsPerHead, path);
  NumericIdentity identity = identity_without_bits(device, path);
  if (identity.reproducible) identity.fingerprint = sha256(weights);
  return identity;
}

NumericIdentity identity_without_bits(const std::string& device, KernelPath path) {
  NumericIdentity identity{to_string(path),          device,
                           libtorch_version(),       gemm_path(),
                           at::get_cpu_capability(), at::get_num_threads(),
                           is_reproducible(device),  ""};
  identity.fingerprint = sha256(to_line(to_json(identity)));
  return identity;
}

Json to_json(const NumericIdentity& identity) {
  return {{"schema_version", 1},
          {"kernel_path", identity.kernel_path},
          {"device", identity.device},
          {"libtorch", identity.libtorch},
          {"gemm", identity.gemm},
          {"instruction_set", identity.instruction_set},
          {"threads", identity.threads},
          {"reproducible", identity.reproducible},
          {"fingerprint", identity.fingerprint}};
}

}  // namespace sweep
