#include "gpt/torch_errors.h"

#include <c10/util/Exception.h>

#include <new>

#include "sweep/base/json.h"

namespace sweep {
namespace {

constexpr const char* kNoMemory = "out of memory: fewer workers (-j) or a smaller model would fit";

bool is_about_memory(const std::string& message) {
  return message.find("can't allocate memory") != std::string::npos ||
         message.find("out of memory") != std::string::npos;
}

}  // namespace

Failure describe_failure(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) {
    return {error->code(), error->what()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return {ExitCode::kResources, kNoMemory};
  }
  if (dynamic_cast<const Json::exception*>(&exception) != nullptr) {
    return {ExitCode::kBadInput, fmt::format("damaged JSON: {}", exception.what())};
  }
  if (const auto* error = dynamic_cast<const c10::Error*>(&exception)) {
    const std::string message = error->what_without_backtrace();
    if (is_about_memory(message)) return {ExitCode::kResources, kNoMemory};
    return {ExitCode::kRunFailed, "LibTorch: " + message};
  }
  return {ExitCode::kRunFailed, exception.what()};
}

}  // namespace sweep
