#pragma once

#include <optional>
#include <string>

#include "queue/executor.h"
#include "sweep/queue/attempts.h"

namespace sweep {

/// Everything that decides what a worker's end means.
struct EndFacts {
  std::optional<int> exit_code;  ///< nullopt: a signal
  int signal = 0;
  bool out_of_memory = false;
  bool has_result = false;
  bool hung = false;           ///< we ended it because it gave no sign of life
  bool asked_to_stop = false;  ///< we asked because we were told to stop
  bool progressed = false;     ///< it made steps in this attempt
};

/// What is to be done with the run.
enum class Next {
  kDone,       ///< complete
  kCarryOn,    ///< start it again, this was no failure
  kRetry,      ///< an infrastructure failure: again, if the bound allows
  kGiveUp,     ///< again would end the same way
  kLeave,      ///< stays as it is for the next session
  kWaitForIt,  ///< somebody else works on it
  kStopQueue,  ///< resources are out: no run can do better
};

struct Ending {
  AttemptEnd end;
  Next next;
  std::string cause;  ///< for attempts.jsonl; "" when the status says it all
};

/// Pure. result.json is the only proof of completion, whatever the status. Once we asked it to stop
/// nothing is tried again in this session.
Ending classify(const EndFacts& facts);

}  // namespace sweep
