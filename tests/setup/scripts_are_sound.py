"""Fails on a shell script that does not parse, cannot be executed, or names no interpreter.

scripts_are_sound.py ROOT
"""

import os
import pathlib
import shutil
import subprocess
import sys

from project_files import report, tracked_files


def is_script(path: pathlib.Path) -> bool:
    return path.suffix == ".sh" or str(path) in ("bootstrap", ".ci/run")


def problems_of(script: pathlib.Path) -> list[str]:
    text = script.read_text(encoding="utf-8")
    shell = "bash" if text.startswith("#!/usr/bin/env bash\n") else "sh"
    problems = []
    if shell == "sh" and not text.startswith("#!/bin/sh\n"):
        problems.append("the first line names neither /bin/sh nor bash")
    if not os.access(script, os.X_OK):
        problems.append("is not executable")
    parsed = subprocess.run([shell, "-n", script], capture_output=True, text=True)
    problems += parsed.stderr.splitlines()
    if shutil.which("shellcheck"):
        checked = subprocess.run(
            ["shellcheck", "-x", "-P", "SCRIPTDIR", "-S", "warning", "-f", "gcc", script],
            capture_output=True,
            text=True,
        )
        problems += checked.stdout.splitlines()
    return problems


def check(root: pathlib.Path) -> list[str]:
    scripts = [path for path in tracked_files(root) if is_script(path)]
    return [f"{path}: {problem}" for path in scripts for problem in problems_of(root / path)]


if __name__ == "__main__":
    sys.exit(report(check(pathlib.Path(sys.argv[1])), "every script parses and can be executed"))
