#pragma once

#include <exception>
#include <string>

#include "sweep/base/error.h"

namespace sweep {

/// How a program that trains ends on `exception`: LibTorch's own become one sentence without a
/// backtrace; memory that could not be had is `kResources`, what is unknown `kRunFailed`.
struct Failure {
  ExitCode code;
  std::string message;
};

Failure describe_failure(const std::exception& exception);

}  // namespace sweep
