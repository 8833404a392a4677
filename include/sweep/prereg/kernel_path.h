#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sweep/prereg/config.h"
#include "sweep/prereg/prereg.h"

namespace sweep {

/// Which implementation of the training step is used. They agree but for rounding, which near the
/// edge of stability can decide a cell: all runs of a sweep take the same one.
enum class KernelPath {
  kPlain,  ///< LibTorch's operators and gradients: every variant and device
  kFused   ///< written out by hand: CPU, float32, no dropout
};

std::string to_string(KernelPath path);

/// nullopt for an unknown name.
std::optional<KernelPath> kernel_path_named(std::string_view name);

/// `kFused` where it can train this config.
KernelPath fastest_kernel_path(const Config& config);

/// `kFused` where it can train every cell that the file may expand to, by its arms and its grid.
KernelPath fastest_kernel_path(const Prereg& prereg);

}  // namespace sweep
