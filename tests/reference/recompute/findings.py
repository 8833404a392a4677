"""Findings by the registered definitions. None is Kleene's "unknown" wherever a truth value stands."""

import math

WORTSMAN = [3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1]


def k_not(value):
    return None if value is None else not value


def k_all(values):
    values = list(values)
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def k_any(values):
    return k_not(k_all(k_not(value) for value in values))


class Cell:
    """The runs of one arm, stratum and level of the axis."""

    def __init__(self, x):
        self.x = x
        self.runs = {}  # by seed

    @property
    def complete(self):
        return all(run.finished for run in self.runs.values())

    def mean(self):
        """Over seeds; infinite with a run that went non-finite, None while one is missing."""
        if not self.complete:
            return None
        losses = [math.inf if run.final is None else run.final for run in self.runs.values()]
        return sum(losses) / len(losses)


class Curve:
    """What one arm does along the axis within one stratum."""

    def __init__(self, arm, stratum):
        self.arm = arm
        self.stratum = stratum
        self.cells = []  # ascending
        self.judgements = {}  # run id -> (status, diverged, unusable)

    @property
    def seeds(self):
        return sorted({seed for cell in self.cells for seed in cell.runs})

    def best(self):
        """Index of the arm's best level: lowest mean over complete cells, ties to the lower level."""
        means = [(cell.mean(), i) for i, cell in enumerate(self.cells)]
        means = [(mean, i) for mean, i in means if mean is not None]
        return min(means)[1] if means else None

    def reference(self):
        """The best mean, where it is finite."""
        means = [cell.mean() for cell in self.cells]
        means = [mean for mean in means if mean is not None and math.isfinite(mean)]
        return min(means) if means else None


class Study:
    """The main block of a sweep in cells, judged."""

    def __init__(self, sweep, axis, arms, definitions):
        self.sweep = sweep
        self.axis = axis
        self.definitions = definitions
        self.curves = grouped(sweep, axis, arms)
        for curve in self.curves:
            self._judge(curve)

    def strata(self):
        found = []
        for curve in self.curves:
            if curve.stratum not in found:
                found.append(curve.stratum)
        return found

    def curve(self, arm, stratum):
        for curve in self.curves:
            if curve.arm == arm and curve.stratum == stratum:
                return curve
        return None

    def stratum_reference(self, stratum):
        found = [curve.reference() for curve in self.curves if curve.stratum == stratum]
        found = [reference for reference in found if reference is not None]
        return min(found) if found else None

    def _judge(self, curve):
        for cell in curve.cells:
            for run in cell.runs.values():
                curve.judgements[run.id] = self._judgement(curve, run)

    def _judgement(self, curve, run):
        if not run.finished:
            return "missing", None, None
        rules = {name: self.definitions[name]["any"] for name in ("diverged", "unusable")}
        held = {name: [(rule, self._holds(rule, curve, run)) for rule in rules[name]] for name in rules}
        diverged = k_any(truth for _, truth in held["diverged"])
        unusable = k_any(diverged if rule["rule"] == "diverged" else truth
                         for rule, truth in held["unusable"])
        return status([*held["diverged"], *held["unusable"]]), diverged, unusable

    def _holds(self, rule, curve, run):
        loss = math.inf if run.final is None else run.final
        if rule["rule"] == "nonfinite":
            return run.final is None
        if rule["rule"] == "diverged":
            return None  # stands for the other list
        if rule["rule"] == "degraded":
            own = rule["of"] == "same_arm_and_stratum"
            reference = curve.reference() if own else self.stratum_reference(curve.stratum)
            if math.isinf(loss):
                return True
            return None if reference is None else loss > reference + rule["by"]
        level = self._level(rule["level"], run)
        return True if level is None else loss >= level - rule["minus"]

    def _level(self, level, run):
        if level == "initial_val_loss":
            return run.initial
        if isinstance(level, str):
            return self.sweep.floors(run)[level[: -len("_floor")]]
        return level


def status(held):
    """One word: the first of this order that a rule gives."""
    names = set()
    for rule, truth in held:
        if rule["rule"] == "diverged" or truth is False:
            continue
        if truth is None:
            names.add("unjudged")
        elif rule["rule"] == "final_loss_at_least":
            names.add("blowup" if rule["level"] == "initial_val_loss" else "collapsed")
        else:
            names.add(rule["rule"])
    for name in ("nonfinite", "blowup", "collapsed", "degraded", "unjudged"):
        if name in names:
            return name
    return "ok"


def stratum_of(run, axis):
    """The level itself, an object of levels, or None."""
    return stratum_from([{"factor": factor, "value": value} for factor, value in run.levels.items()
                         if factor != axis])


def stratum_from(levels):
    levels = {level["factor"]: level["value"] for level in levels}
    if not levels:
        return None
    return next(iter(levels.values())) if len(levels) == 1 else levels


def grouped(sweep, axis, arms):
    """Strata in the plan's order, ascending where they are numbers; arms in registered order."""
    strata = []
    for run in sweep.runs:
        stratum = stratum_of(run, axis)
        if stratum not in strata:
            strata.append(stratum)
    if all(isinstance(stratum, (int, float)) for stratum in strata):
        strata.sort()
    elif all(isinstance(s, dict) and all(isinstance(v, (int, float)) for v in s.values()) for s in strata):
        strata.sort(key=lambda levels: list(levels.values()))
    curves = []
    for stratum in strata:
        for arm in arms:
            curve = Curve(arm, stratum)
            cells = {}
            for run in sweep.runs:
                if run.arm == arm and stratum_of(run, axis) == stratum:
                    cells.setdefault(run.levels[axis], Cell(run.levels[axis])).runs[run.seed] = run
            for x in sorted(cells):
                cells[x].runs = dict(sorted(cells[x].runs.items()))
                curve.cells.append(cells[x])
            if curve.cells:
                curves.append(curve)
    return curves


def usable(curve, cell, seeds, failure):
    """Whether every one of the seeds is usable; a seed that was not planned there is unknown."""
    index = 1 if failure == "diverged" else 2
    truths = []
    for seed in seeds:
        run = cell.runs.get(seed)
        truths.append(None if run is None else k_not(curve.judgements[run.id][index]))
    return k_all(truths)


def max_stable(curve, seeds, failure, contiguous):
    """A dict with value, upper, censored, non_monotone, unrestricted; None where it is unknown."""
    best = curve.best()
    if best is None:
        return None
    truths = [usable(curve, cell, seeds or cell.runs, failure) for cell in curve.cells]
    xs = [cell.x for cell in curve.cells]
    top = len(xs) - 1
    usable_anywhere = [x for x, truth in zip(xs, truths) if truth]
    above = truths[best:]
    first_failure = above.index(False) if False in above else None
    facts = {"value": None, "upper": None, "censored": "none",
             "non_monotone": first_failure is not None and True in above[first_failure:],
             "unrestricted": usable_anywhere[-1] if usable_anywhere else None}
    if truths[best] is None:
        return None
    if truths[best] is False:
        return facts
    if contiguous:
        last = best
        while last < top and truths[last + 1]:
            last += 1
        if last < top and truths[last + 1] is None:
            return None
    else:
        last = top
        while truths[last] is False:
            last -= 1
        if truths[last] is None:
            return None
    censored = "right" if last == top else None
    return {**facts, "value": xs[last], "upper": None if censored else xs[last + 1],
            "censored": censored}


def sensitivity(curve, seed, points, weights):
    """Wortsman et al. 2023: value, l*, where, whether it never trained; None when undefined."""
    found = []
    for cell in curve.cells:
        run = cell.runs.get(seed)
        if run is None or not run.finished or run.initial is None:
            return None
        loss = run.initial if run.final is None else run.final
        found.append((cell.x, min(loss, run.initial), run.initial))
    if points == "wortsman":
        chosen = [[p for p in found if math.isclose(p[0], x, rel_tol=1e-9)] for x in WORTSMAN]
        if not all(chosen):
            return None
        found = [matches[0] for matches in chosen]
    shares = weights_of([x for x, _, _ in found], weights)
    if shares is None:
        return None
    best = min(loss for _, loss, _ in found)
    best_x, initial = next((x, l0) for x, loss, l0 in found if loss == best)
    arm_best = curve.best()
    split = best_x if arm_best is None else curve.cells[arm_best].x
    parts = [(x, share * (loss - best)) for share, (x, loss, _) in zip(shares, found)]
    return {"value": math.fsum(part for _, part in parts), "best_loss": best, "best_x": best_x,
            "initial_loss": initial,
            "below": math.fsum(part for x, part in parts if x < split),
            "above": math.fsum(part for x, part in parts if x > split),
            "never_trained": all(loss >= l0 for _, loss, l0 in found)}


def weights_of(xs, weights):
    """Of the levels in the average; None where they have no logarithm."""
    if weights == "equal" or len(xs) == 1:
        return [1 / len(xs)] * len(xs)
    if xs[0] <= 0:
        return None
    steps = [math.log(b / a) / math.log(xs[-1] / xs[0]) for a, b in zip(xs, xs[1:])]
    return [(left + right) / 2 for left, right in zip([0.0, *steps], [*steps, 0.0])]
