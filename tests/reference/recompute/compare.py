"""A comparison of two JSON values that counts what it compared and forgives nothing unnamed."""

import math
import re


class Comparison:
    def __init__(self, allowed, tolerance=1e-11):
        self.allowed = allowed
        self.tolerance = tolerance
        self.differences = []
        self.numbers = 0
        self.others = 0
        self.used = {}

    def compare(self, expected, actual, path=""):
        if isinstance(expected, dict) and isinstance(actual, dict):
            return self._objects(expected, actual, path)
        if isinstance(expected, list) and isinstance(actual, list):
            if len(expected) != len(actual):
                return self._differ(path, f"{len(expected)} entries", f"{len(actual)}")
            for i, (a, b) in enumerate(zip(expected, actual)):
                self.compare(a, b, f"{path}[{self._name(b, i)}]")
            return None
        if is_number(expected) and is_number(actual):
            self.numbers += 1
            if not math.isclose(expected, actual, rel_tol=self.tolerance, abs_tol=self.tolerance):
                self._differ(path, expected, actual)
            return None
        self.others += 1
        if path.endswith(".numbers") and isinstance(actual, str) and same_sentence(expected, actual):
            return None
        if type(expected) is not type(actual) or expected != actual:
            self._differ(path, expected, actual)
        return None

    def summary(self):
        return (f"{self.numbers} numbers and {self.others} other values recomputed, "
                f"{len(self.differences)} differ")

    def skipped(self):
        return sorted(self.used.items())

    def _objects(self, expected, actual, path):
        for key, value in expected.items():
            where = f"{path}.{key}" if path else key
            if key not in actual:
                self._differ(where, value, "no such key")
            else:
                self.compare(value, actual[key], where)
        for key in actual:
            where = f"{path}.{key}" if path else key
            if key not in expected and not self._may_skip(key, where):
                self.differences.append(f"{where}: in the report, not recomputed")

    def _may_skip(self, key, where):
        for pattern in (where, f"**.{key}"):
            if pattern in self.allowed:
                self.used[pattern] = self.allowed[pattern]
                return True
        return False

    def _differ(self, path, expected, actual):
        self.differences.append(f"{path}: recomputed {expected!r}, the report has {actual!r}")

    @staticmethod
    def _name(entry, i):
        """Words for an entry of a list: where it belongs, else its index."""
        if not isinstance(entry, dict):
            return i
        keys = [key for key in ("id", "arm", "stratum", "x", "seed", "name") if key in entry]
        return " ".join(f"{key} {entry[key]}" for key in keys) or i


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


DIGITS = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def same_sentence(a, b):
    """Equal but for the last digit of a rounded number."""
    if DIGITS.sub("#", a) != DIGITS.sub("#", b):
        return False
    return all(math.isclose(float(x), float(y), rel_tol=0.006, abs_tol=0.0011)
               for x, y in zip(DIGITS.findall(a), DIGITS.findall(b)))
