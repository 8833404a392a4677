"""The files that are the project's: what git tracks, or without git what is no build product."""

import pathlib
import subprocess

NOT_OURS = {".git", ".venv", ".cache", "build", "__pycache__"}


def tracked_files(root: pathlib.Path) -> list[pathlib.Path]:
    """Relative paths, sorted; those deleted but not yet committed are left out."""
    try:
        listing = subprocess.run(
            ["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True
        )
        files = [pathlib.Path(name) for name in listing.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        files = [path.relative_to(root) for path in root.rglob("*")]
        files = [path for path in files if not NOT_OURS & set(path.parts)]
    return sorted(path for path in files if (root / path).is_file())


def report(problems: list[str], all_is_well: str) -> int:
    """Prints the problems, or that there are none; returns the exit code."""
    print("\n".join(problems) if problems else all_is_well)
    return 1 if problems else 0
