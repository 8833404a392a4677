"""Fails on a path of one machine, or on unfinished business, in a file of the project.

no_local_paths.py ROOT
"""

import pathlib
import re
import sys

from project_files import report, tracked_files

LOCAL_PATH = re.compile(r"(?<![\w.$}{/-])/(?:home|root|Users|work|farm|opt)/\w")
# In a comment only: a pre-registration may say TODO for a value that is still to be decided.
UNFINISHED = re.compile(r"(?://|#|\*|<!--)\s*(?:TODO|FIXME|XXX|HACK)\b")


def check(root: pathlib.Path) -> list[str]:
    problems = []
    for path in tracked_files(root):
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, start=1):
            for what, pattern in (("path of one machine", LOCAL_PATH), ("unfinished", UNFINISHED)):
                if pattern.search(line):
                    problems.append(f"{path}:{number}: {what}: {line.strip()[:100]}")
    return problems


if __name__ == "__main__":
    sys.exit(report(check(pathlib.Path(sys.argv[1])), "no path of one machine, nothing unfinished"))
