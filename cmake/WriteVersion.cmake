# cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -P WriteVersion.cmake
set(commit "")
set(clean "false")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(commit AND changes STREQUAL "")
    set(clean "true")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "sweep/base/version.h"

namespace sweep {

CodeVersion code_version() { return {"@VERSION@", "@commit@", @clean@}; }

const char* source_folder() { return "@SOURCE@"; }

}  // namespace sweep
]] @ONLY)
