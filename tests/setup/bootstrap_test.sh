#!/bin/sh
# bootstrap_test.sh BOOTSTRAP: runs a copy of it in an empty project, with stand-ins for the tools of
# the system, so that nothing is installed or built.
set -u

bootstrap=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failures=0

# A project in a folder with a space in its name, and stand-ins that say everything is there.
new_project() {
  rm -rf "$here/the project" "$here/tools"
  project="$here/the project"
  mkdir -p "$project/.cache/corpora" "$here/tools"
  : >"$project/.cache/corpora/kjv.txt"
  cp "$bootstrap" "$project/bootstrap"
  stand_in uname 'echo Linux'
  stand_in id 'echo 0'
  stand_in apt-get 'exit 0'
  stand_in dpkg-query 'for word; do printf "installed:%s " "$word"; done'
  stand_in sudo 'exit 1'
  stand_in cmake '
    mkdir -p build/release/bin
    echo "-- LibTorch 2.13.0 for CPU from venv: here"
    program=build/release/bin/sweep
    printf "#!/bin/sh\nprintf \"<%%s>\" \"\$@\"\nexit 4\n" >$program
    chmod +x $program
    echo "$*" >>build/cmake-calls'
}

# stand_in TOOL BODY: a program of that name, first in PATH.
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" >"$here/tools/$1"
  chmod +x "$here/tools/$1"
}

# Leaves its exit code in `code`, its output in the files out and err.
run_bootstrap() {
  PATH="$here/tools:$PATH" LIBTORCH='' CI='' "$project/bootstrap" "$@" \
    >"$here/out" 2>"$here/err" </dev/null
  code=$?
}

# expect SENTENCE CONDITION...: CONDITION is a command that must succeed.
expect() {
  sentence=$1
  shift
  if "$@" >/dev/null; then return; fi
  failures=$((failures + 1))
  printf 'FAILED: %s\n-- exit %s, stdout:\n' "$sentence" "$code"
  cat "$here/out"
  echo '-- stderr:'
  cat "$here/err"
}

calls() { wc -l <"$project/build/cmake-calls" | tr -d ' '; }

new_project
run_bootstrap report 'a folder' --json
expect 'hands over the arguments as they are' [ "$(cat "$here/out")" = '<report><a folder><--json>' ]
expect 'passes the exit code on' [ $code -eq 4 ]
expect 'says which LibTorch' grep -q '^bootstrap: LibTorch 2.13.0' "$here/err"
expect 'leaves a link at the root' [ -x "$project/sweep" ]
expect 'configures and builds' [ "$(calls)" -eq 2 ]
run_bootstrap status
expect 'does not configure again for the same settings' [ "$(calls)" -eq 3 ]
expect 'asks for the programs only' grep -q 'target sweep sweep-train' "$project/build/cmake-calls"

new_project
run_bootstrap
expect 'alone says what to type next' grep -q './sweep run sweeps/demo.yaml' "$here/out"
expect 'alone succeeds' [ $code -eq 0 ]

new_project
mkdir -p "$project/.venv/bin"
for tool in pip python; do
  printf '#!/bin/sh\necho "$@"\n' >"$project/.venv/bin/$tool"
  chmod +x "$project/.venv/bin/$tool"
done
stand_in ctest 'echo "$@"'
run_bootstrap test -R Setup
expect 'test hands over to ctest' grep -q -- '--output-on-failure -R Setup' "$here/out"
for tool in clang-format jsonschema; do
  expect "test installs $tool" grep -q " install $tool==" "$project/build/bootstrap.log"
done

new_project
stand_in dpkg-query 'exit 1'
stand_in id 'echo 1000'
run_bootstrap
expect 'without the rights ends with 6' [ $code -eq 6 ]
expect 'without the rights prints the line to run' \
  grep -q "^  sudo sh -c 'apt-get update && apt-get install .*g++ .*'$" "$here/err"
expect 'without the rights prints nothing on stdout' [ ! -s "$here/out" ]

new_project
stand_in dpkg-query 'exit 1'
stand_in apt-get 'echo "E: no network"; exit 100'
run_bootstrap
expect 'a failed installation ends with 6' [ $code -eq 6 ]
expect 'a failed installation names the log' grep -q 'build/bootstrap.log' "$here/err"
expect 'a failed installation shows its last lines' grep -q 'E: no network' "$here/err"

new_project
stand_in cmake 'echo "CMake Error: fmt is missing"; exit 1'
run_bootstrap
expect 'a failed configuration ends with 6' [ $code -eq 6 ]
expect 'a failed configuration shows why' grep -q 'fmt is missing' "$here/err"

new_project
sed -i.unused 's/from venv/from system/' "$here/tools/cmake"
stand_in dpkg-query 'for word; do case $word in *blas*) ;; *) printf "installed:%s " "$word" ;; esac; done'
stand_in apt-get 'echo "$@"'
run_bootstrap
expect 'gives the LibTorch of Debian a fast BLAS' \
  grep -q 'install .*libopenblas0-openmp' "$project/build/bootstrap.log"

new_project
run_bootstrap
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n' >"$project/build/release/CMakeCache.txt"
run_bootstrap
expect 'a build folder from elsewhere is made anew' [ ! -e "$project/build/release/CMakeCache.txt" ]

[ $failures -eq 0 ] && echo 'bootstrap does what it says'
exit $failures
