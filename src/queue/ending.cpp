#include "queue/ending.h"

#include <csignal>

#include "sweep/base/error.h"

namespace sweep {
namespace {

/// 128 + SIGKILL: how a shell between us and the worker reports the signal.
constexpr int kExitKilled = 137;

Ending after_checkpoint(const EndFacts& facts) {
  // Stopping again and again on the same step would never end: that counts as a failure.
  if (facts.progressed) return {AttemptEnd::kCheckpointed, Next::kCarryOn, ""};
  return {AttemptEnd::kFailed, Next::kRetry, "stopped at a checkpoint without making a step"};
}

bool was_killed(const EndFacts& facts) {
  return facts.exit_code ? *facts.exit_code == kExitKilled : facts.signal == SIGKILL;
}

Ending after_kill(const EndFacts& facts) {
  return {AttemptEnd::kFailed, Next::kRetry,
          facts.out_of_memory ? "out of memory" : "possibly out of memory"};
}

Ending after_exit(int code, const EndFacts& facts) {
  switch (code) {
    case 0:
      return {AttemptEnd::kFailed, Next::kRetry, "ended without a result"};
    case kExitCheckpointed:
      return after_checkpoint(facts);
    case static_cast<int>(ExitCode::kBadInput):
      return {AttemptEnd::kFailed, Next::kGiveUp, "bad input"};
    case static_cast<int>(ExitCode::kOwned):
      return {AttemptEnd::kElsewhere, Next::kWaitForIt, ""};
    case static_cast<int>(ExitCode::kResources):
      return {AttemptEnd::kFailed, Next::kStopQueue, "out of disk, memory or a device"};
    default:
      return {AttemptEnd::kFailed, Next::kRetry, ""};
  }
}

/// What it did when we asked it to stop; whatever it was, the next session carries on.
Ending after_request(const EndFacts& facts) {
  const int code = facts.exit_code.value_or(kExitCheckpointed);
  if (code == kExitCheckpointed) return {AttemptEnd::kStopped, Next::kLeave, ""};
  const Ending ending = after_exit(code, facts);
  return {ending.end, Next::kLeave, ending.cause};
}

}  // namespace

Ending classify(const EndFacts& facts) {
  if (facts.has_result) return {AttemptEnd::kFinished, Next::kDone, ""};
  if (facts.hung) return {AttemptEnd::kHung, Next::kRetry, "no sign of life"};
  if (facts.asked_to_stop) return after_request(facts);
  if (was_killed(facts)) return after_kill(facts);
  if (!facts.exit_code) return {AttemptEnd::kFailed, Next::kRetry, ""};
  return after_exit(*facts.exit_code, facts);
}

}  // namespace sweep
