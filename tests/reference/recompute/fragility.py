"""What verdicts hang on: the delta of "degraded", and each rule of failure on its own."""

from .findings import Study
from .verdicts import Judge

REACH = 4  # how far delta is followed, as a factor
MOST = 256  # values of delta, each way


def with_delta(definitions, delta):
    changed = dict(definitions)
    for name in ("diverged", "unusable"):
        changed[name] = {"any": [{**rule, "by": delta} if rule["rule"] == "degraded" else rule
                                 for rule in definitions[name]["any"]]}
    return changed


def fragility(study, prereg):
    """The keys of the report; nothing without hypotheses."""
    definitions = study.definitions
    rejudge = Rejudge(study, prereg)
    if not rejudge.names:
        return {"delta": None, "searched": [0.0, 0.0], "intervals": [], "alternatives": []}
    delta = next((rule["by"] for rule in definitions["unusable"]["any"] if rule["rule"] == "degraded"), None)
    found = {"delta": delta, "searched": [0.0, 0.0], "intervals": [],
             "alternatives": alternatives(rejudge, definitions, prereg, delta)}
    if delta:
        found["intervals"], found["searched"] = intervals(rejudge, delta)
    return found


class Rejudge:
    def __init__(self, study, prereg):
        self.study, self.prereg = study, prereg
        self.names = list(prereg.get("hypotheses") or {})
        self.registered = self.by(study.definitions)

    def by(self, definitions):
        again = Study(self.study.sweep, self.study.axis, list(self.prereg["arms"]), definitions)
        return Judge(again, self.prereg).kinds()

    def at(self, delta):
        return self.by(with_delta(self.study.definitions, delta))

    def critical(self, low, high):
        """The deltas at which the status of some run changes."""
        found = set()
        for curve in self.study.curves:
            for reference in (curve.reference(), self.study.stratum_reference(curve.stratum)):
                for cell in curve.cells:
                    for run in cell.runs.values():
                        if reference is not None and run.finished and run.final is not None:
                            found.add(run.final - reference)
        return sorted(delta for delta in found if low < delta < high)


def intervals(rejudge, delta):
    """How far each verdict stays what it is, below and above delta (None: as far as was searched), and
    how far that is."""
    edges = rejudge.critical(delta / REACH, delta * REACH)
    above = [edge for edge in edges if edge > delta]
    below = [edge for edge in reversed(edges) if edge <= delta]
    searched = [below[MOST] if len(below) > MOST else delta / REACH,
                above[MOST] if len(above) > MOST else delta * REACH]
    highs = first_changes(rejudge, above[:MOST], searched[1])
    lows = first_changes(rejudge, below[:MOST], searched[0])
    half, twice = rejudge.at(delta / 2), rejudge.at(delta * 2)
    found = [{"id": name, "verdict": verdict, "low": low, "high": high,
              "robust": h == verdict and t == verdict}
             for name, verdict, low, high, h, t
             in zip(rejudge.names, rejudge.registered, lows, highs, half, twice)]
    return found, searched


def first_changes(rejudge, edges, end):
    changes = [None] * len(rejudge.names)
    for edge, beyond in zip(edges, edges[1:] + [end]):
        for i, kind in enumerate(rejudge.at((edge + beyond) / 2)):
            if changes[i] is None and kind != rejudge.registered[i]:
                changes[i] = edge
        if None not in changes:
            break
    return changes


def alternatives(rejudge, definitions, prereg, delta):
    profile = (prereg.get("analysis") or {}).get("degraded_profile")
    if profile is None:
        profile = [delta / 2, delta * 2] if delta else []
    found = [{"verdicts": rejudge.at(value)} for value in profile]
    known = []
    for rule in definitions["diverged"]["any"] + definitions["unusable"]["any"]:
        if rule in known or rule["rule"] == "degraded" and rule["by"] in profile:
            continue
        known.append(rule)
        found.append({"verdicts": rejudge.by({**definitions, "unusable": {"any": [rule]}})})
    return found
