#pragma once

#include <filesystem>
#include <string>

#include "sweep/record/registration.h"
#include "verb.h"

namespace sweep {

/// Where the sweep of FILE lies: -C, or its stem + .sweep here.
SweepDir directory_for(const std::filesystem::path& file, const Arguments& arguments);

/// Locks FILE under this machine's numerics. `uncommitted` as in `RegisterOptions`.
Registration register_now(const std::filesystem::path& file, const SweepDir& sweep,
                          const std::string& uncommitted);

/// Throws `Error` (`kRefused`) with the differences when FILE no longer means what is in force.
void refuse_changes(const SweepDir& sweep, const std::filesystem::path& file);

/// For verbs with the operands [DIR] FILE: FILE, and the sweep it is about: DIR, else the file's
/// own, else the only one here.
struct FileAndSweep {
  std::filesystem::path file;
  SweepDir sweep;
};
FileAndSweep file_and_sweep(const Arguments& arguments);

/// A text option that may not be left out or empty.
std::string text_option(const Arguments& arguments, const char* name, const std::string& what_for);

/// Shows an amendment and, unless it is a dry run, records it.
void show_and_record(const SweepDir& sweep, const AmendmentDraft& draft, bool dry_run);

}  // namespace sweep
