#include "sweep/queue/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kWorkerBytes = 300 * kMegabyte;  // LibTorch, and a small model with its batch
constexpr double kLeastDisk = 500 * kMegabyte;
constexpr double kAmpleDisk = 5000 * kMegabyte;
constexpr double kFastShare = 0.6;  // of the multiply-add peak
constexpr double kBusyShare = 0.5;  // of the cores

Check check_trainer(const MachineFacts& facts) {
  if (!facts.trainer) {
    return {"trainer", Light::kRed, facts.trainer_problem, "./bootstrap builds it with LibTorch"};
  }
  return {"trainer", Light::kGreen,
          "starts, LibTorch " + facts.trainer->at("libtorch").get<std::string>(), ""};
}

std::string why_products_are_slow(const std::string& gemm) {
  if (gemm == "mkl") {
    return "MKL keeps its fast path from this maker's processors: build with SWEEP_FAST_GEMM=ON";
  }
  if (gemm == "blas") return "a reference BLAS: install LibTorch by ./bootstrap, which has MKL";
  return "other programs on this core, or a matrix library for another processor";
}

std::string speed_text(double gflops, double peak) {
  return fmt::format("{:.0f} GFLOP/s, {:.0f} % of the multiply-add peak", gflops,
                     100 * gflops / peak);
}

Check check_kernels(const Json& trainer) {
  const double peak = get_number(trainer, "fma_peak_gflops");
  const double gflops = get_number(trainer, "own_gemm_gflops");
  Check check{"kernels (path fused)", Light::kGreen,
              fmt::format("{}; {}", trainer.at("instruction_set").get<std::string>(),
                          speed_text(gflops, peak)),
              ""};
  if (gflops >= kFastShare * peak) return check;
  check.light = Light::kYellow;
  check.todo = "look for other programs on these cores, and for a throttled processor";
  return check;
}

Check check_products(const Json& trainer) {
  const double peak = get_number(trainer, "fma_peak_gflops");
  const double gflops = get_number(trainer, "libtorch_gemm_gflops");
  const auto gemm = trainer.at("gemm").get<std::string>();
  Check check{"products (path plain)", Light::kGreen,
              fmt::format("{}; {}", gemm, speed_text(gflops, peak)), ""};
  if (gflops >= kFastShare * peak) return check;
  check.light = Light::kYellow;
  check.todo = why_products_are_slow(gemm);
  return check;
}

Check check_devices(const Json& trainer) {
  return {"devices", Light::kGreen,
          join(trainer.at("devices").get<std::vector<std::string>>(), ", "), ""};
}

Check check_overrides(const MachineFacts& facts) {
  if (facts.overrides.empty()) return {"environment", Light::kGreen, "changes no arithmetic", ""};
  return {"environment", Light::kYellow, join(facts.overrides, ", "),
          "unset them, or keep them for the whole sweep: they may change bits and speed"};
}

Check check_cores(const MachineFacts& facts) {
  Check check{"cores", Light::kGreen,
              fmt::format("{} usable, load {:.1f}",
                          count_of(static_cast<std::size_t>(facts.cores), "core"), facts.load),
              ""};
  if (facts.load <= kBusyShare * facts.cores) return check;
  check.light = Light::kYellow;
  check.todo = "other programs are at work: runs take longer, and times mean little";
  return check;
}

Check check_memory(const MachineFacts& facts) {
  if (!facts.memory) return {"memory", Light::kGreen, "unknown", ""};
  const auto bytes = static_cast<double>(*facts.memory);
  Check check{"memory", Light::kGreen, format_bytes(bytes) + " available", ""};
  if (bytes < kWorkerBytes) {
    check.light = Light::kRed;
    check.todo = "a run of a small model wants " + format_bytes(kWorkerBytes);
  } else if (bytes < kWorkerBytes * facts.cores) {
    check.light = Light::kYellow;
    check.todo = fmt::format("enough for {:.0f} runs at once: -j", bytes / kWorkerBytes);
  }
  return check;
}

Check check_disk(const MachineFacts& facts) {
  const auto bytes = static_cast<double>(facts.disk);
  Check check{"disk", Light::kGreen, format_bytes(bytes) + " free", ""};
  if (bytes >= kAmpleDisk) return check;
  check.light = bytes < kLeastDisk ? Light::kRed : Light::kYellow;
  check.todo = "make room, or put the sweep elsewhere with -C; 'sweep plan FILE' says how much";
  return check;
}

Check check_file_system(const MachineFacts& facts) {
  const std::string& type = facts.file_system;
  Check check{"file system", Light::kGreen, type, ""};
  const auto is_one_of = [&](const std::vector<std::string>& types) {
    return std::any_of(types.begin(), types.end(),
                       [&](const std::string& t) { return type.starts_with(t); });
  };
  if (is_one_of({"tmpfs", "ramfs"})) {
    check.light = Light::kYellow;
    check.todo = "gone when the machine goes down: keep sweeps on a disk";
  } else if (is_one_of({"nfs", "cifs", "smb", "fuse", "9p", "afs"})) {
    check.light = Light::kYellow;
    check.todo = "locks over the network are the server's promise: one orchestrator at a time";
  }
  return check;
}

Check check_gnuplot(const MachineFacts& facts) {
  if (facts.gnuplot) return {"figures", Light::kGreen, "gnuplot is here", ""};
  return {"figures", Light::kYellow, "no gnuplot", "install gnuplot; reports do without figures"};
}

}  // namespace

std::string to_string(Light light) {
  switch (light) {
    case Light::kGreen:
      return "green";
    case Light::kYellow:
      return "yellow";
    case Light::kRed:
      break;
  }
  return "red";
}

const std::vector<std::string>& computing_variables() {
  static const std::vector<std::string> names = {
      "ATEN_CPU_CAPABILITY",     "LD_PRELOAD",         "MKL_CBWR",         "MKL_DEBUG_CPU_TYPE",
      "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE"};
  return names;
}

std::vector<Check> diagnose(const MachineFacts& facts) {
  std::vector<Check> checks = {check_trainer(facts)};
  if (facts.trainer) {
    for (const auto& check : {check_kernels, check_products, check_devices}) {
      checks.push_back(check(*facts.trainer));
    }
  }
  for (const auto& check :
       {check_overrides, check_cores, check_memory, check_disk, check_file_system, check_gnuplot}) {
    checks.push_back(check(facts));
  }
  return checks;
}

}  // namespace sweep
