"""Fails where clang-format would change a C++ file; exits 77 (skipped) without clang-format.

format_is_clean.py ROOT

Versions format differently, so only the pinned one counts. With CI=true it must be there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from project_files import tracked_files


def pinned_version(root: pathlib.Path) -> str:
    """The one version that bootstrap installs."""
    return re.search(r"clang-format==([\d.]+)", (root / "bootstrap").read_text()).group(1)


def find_formatter(root: pathlib.Path, version: str) -> str | None:
    for candidate in (root / ".venv/bin/clang-format", shutil.which("clang-format")):
        if candidate and pathlib.Path(candidate).exists():
            said = subprocess.run([candidate, "--version"], capture_output=True, text=True).stdout
            if f"version {version}" in said:
                return str(candidate)
    return None


def main(root: pathlib.Path) -> int:
    version = pinned_version(root)
    formatter = find_formatter(root, version)
    if formatter is None:
        print(f"clang-format {version} is not here; ./bootstrap test installs it into .venv")
        return 1 if os.environ.get("CI") == "true" else 77
    files = [str(path) for path in tracked_files(root) if path.suffix in (".h", ".cpp")]
    checked = subprocess.run([formatter, "--dry-run", "-Werror", *files], cwd=root)
    if checked.returncode != 0:
        print(f"mend it with: {formatter} -i FILE...")
        return 1
    print(f"{len(files)} files are formatted as clang-format {version} does")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
