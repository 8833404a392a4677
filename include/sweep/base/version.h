#pragma once

#include <string>

namespace sweep {

/// What code this program was built from.
struct CodeVersion {
  std::string version;  ///< "0.1.0"
  std::string commit;   ///< git commit, "" when built outside a repository
  bool clean = false;   ///< whether nothing tracked differed from that commit
};

CodeVersion code_version();

/// The project's root on the machine that built this program.
const char* source_folder();

}  // namespace sweep
