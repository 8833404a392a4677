#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sweep/base/lock_file.h"
#include "sweep/base/process.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// Who works on a run (claim.json) or orchestrates a sweep (owner.json).
struct ClaimInfo {
  ProcessIdentity who;
  std::int64_t attempt = 0;
  std::string token;  ///< random per claim: a worker that was superseded finds another one
  std::string since;  ///< UTC
};

/// A claim that is held: the file's lock, for this object's life. Locks between processes of one
/// machine and leases between machines are this one thing: the lock is released by the kernel when
/// the holder ends; for other machines, whose locks this one may not see, the file's modification
/// time is the sign of life.
class Claim {
 public:
  /// nullopt when somebody else lives on it (see `owner_of`).
  static std::optional<Claim> try_take(const std::filesystem::path& file, std::int64_t attempt,
                                       const std::string& token);
  /// To be called every few seconds; throws `Error` when another token stands in the file.
  void renew();
  /// Empties the file before an orderly end, so that other machines need not wait for the lease.
  void give_back();
  [[nodiscard]] const ClaimInfo& info() const { return info_; }

 private:
  Claim(FileLock lock, std::filesystem::path file, ClaimInfo info);
  FileLock lock_;
  std::filesystem::path file_;
  ClaimInfo info_;
};

/// Longest silence of a holder on another machine before it counts as gone.
inline constexpr double kLeaseSeconds = 300;

/// The live holder, or nullopt when nobody holds the claim: the file is missing, or its lock is
/// free and (on this machine) the process is gone, or (elsewhere) the lease ran out. Changes
/// nothing, works on read-only folders.
std::optional<ClaimInfo> owner_of(const std::filesystem::path& file);

/// Takes a sweep's owner claim; throws `Error` (`kOwned`) naming host, pid and since when somebody
/// else holds it.
Claim own_sweep(const SweepDir& sweep);

/// A token that nobody else draws.
std::string make_token();

}  // namespace sweep
