"""Reads the include lines and fails on an arrow between rooms that runs the wrong way.

includes_point_one_way.py ROOT
"""

import pathlib
import re
import sys

from project_files import report, tracked_files

# Each room, and the rooms that it may include besides itself.
BELOW_RECORD = {"base", "data", "prereg"}
MAY_INCLUDE = {
    "base": set(),
    "data": {"base"},
    "prereg": {"base", "data"},
    "record": BELOW_RECORD,
    "gpt": BELOW_RECORD | {"record"},
    "queue": BELOW_RECORD | {"record"},
    "analysis": BELOW_RECORD | {"record"},
    "report": BELOW_RECORD | {"record", "analysis"},
}
APPS = {
    "sweep": set(MAY_INCLUDE) - {"gpt"},
    "sweep-train": BELOW_RECORD | {"record", "gpt"},
}
# A file that includes LibTorch costs 6 s and more to compile.
MOST_TORCH_FILES = 12
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
TORCH = re.compile(r"^(ATen|torch|c10)/")


def owner(path: pathlib.Path) -> tuple[str, set[str]] | None:
    """The room or program a file belongs to, and the rooms it may include."""
    parts = path.parts
    if path.suffix not in (".h", ".cpp"):
        return None
    if parts[0] == "src" and parts[1] in MAY_INCLUDE:
        return parts[1], MAY_INCLUDE[parts[1]] | {parts[1]}
    if parts[:2] == ("include", "sweep"):
        return parts[2], MAY_INCLUDE[parts[2]] | {parts[2]}
    if parts[0] == "apps":
        return f"apps/{parts[1]}", APPS[parts[1]]
    return None


def included_room(name: str) -> tuple[str | None, bool]:
    """The room an include line names, and whether by a private header of it."""
    parts = name.split("/")
    if parts[0] == "sweep" and len(parts) > 2:
        return parts[1], False
    return (parts[0], True) if parts[0] in MAY_INCLUDE and len(parts) > 1 else (None, False)


def check(root: pathlib.Path) -> list[str]:
    problems = []
    torch_files = []
    for path in tracked_files(root):
        found = owner(path)
        if found is None:
            continue
        here, allowed = found
        names = [name for _, name in INCLUDE.findall((root / path).read_text(encoding="utf-8"))]
        for name in names:
            room, private = included_room(name)
            if room is not None and room not in allowed:
                problems.append(f"{path}: {here} must not include {name}")
            elif private and path.parts[0] == "include":
                problems.append(f"{path}: a public header includes the private {name}")
            elif private and path.parts[0] == "src" and room != here:
                problems.append(f"{path}: {name} is private to the room {room}")
        if any(TORCH.match(name) for name in names):
            torch_files.append(path)
            if here not in ("gpt", "apps/sweep-train"):
                problems.append(f"{path}: only gpt and sweep-train may include LibTorch")
    compiled = [str(path) for path in torch_files if path.suffix == ".cpp"]
    if len(compiled) > MOST_TORCH_FILES:
        problems.append(f"{len(compiled)} files include LibTorch, at most {MOST_TORCH_FILES} may: "
                        + " ".join(compiled))
    return problems


if __name__ == "__main__":
    sys.exit(report(check(pathlib.Path(sys.argv[1])), "every include points the right way"))
