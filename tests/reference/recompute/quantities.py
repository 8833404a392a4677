"""What hypotheses are about: the quantities of one stratum and seed."""

import math
from collections import namedtuple

from . import pairs, words
from .findings import max_stable, sensitivity

# An interval [low, high), a point where both are equal; how it is written; the runs it rests on.
Value = namedtuple("Value", "low high shown runs")


def point(value, shown, runs):
    return Value(value, value, shown, runs)


class Quantities:
    """measure() gives a list, with one entry per level where each counts; None is unknown."""

    def __init__(self, study, arms):
        self.study = study
        self.arms = arms
        self.definitions = study.definitions

    def measure(self, rule, arm, stratum, seed):
        return getattr(self, "_" + rule["quantity"])(rule, arm, stratum, seed)

    def _level(self, x):
        return words.level(x) if self.study.axis == "train.learning_rate" else words.number(x)

    @staticmethod
    def _runs(curve, seed):
        return [cell.runs[seed].id for cell in curve.cells if seed in cell.runs]

    def _max_stable_lr(self, _, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        rule = self.definitions["max_stable_lr"]
        if curve is None or seed not in curve.seeds:
            return [None]
        found = max_stable(curve, [seed], rule["failure"], rule["contiguous"])
        if found is None or found["censored"] == "none":
            return [None]
        low, high = found["value"], found["upper"]
        runs = self._runs(curve, seed)
        if high is None:
            return [Value(low, math.inf, f"≥ {self._level(low)}", runs)]
        return [Value(low, high, f"[{self._level(low)}, {self._level(high)})", runs)]

    def _lr_sensitivity(self, rule, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        sides = [self.study.curve(rule[side], stratum) for side in ("arm", "than") if side in rule]
        if len({tuple(cell.x for cell in side.cells) for side in sides if side}) > 1:
            return [None]  # averages over different levels
        own = self.definitions["lr_sensitivity"]
        found = sensitivity(curve, seed, own["points"], own["weights"]) if curve else None
        if found is None or found["never_trained"]:  # flat, since it is at chance everywhere
            return [None]
        return [point(found["value"], f"{found['value']:.3f}", self._runs(curve, seed))]

    def _necessity_lr(self, _, arm, stratum, seed):
        control = self.study.curve(self.arms[0], stratum)
        treatment = self.study.curve(arm or self.arms[1], stratum)
        if control is None or treatment is None or seed not in control.seeds:
            return [None]
        found = pairs.necessity(control, treatment, [seed], self.definitions["necessity_lr"])
        if found is None or found["kind"] == "no window":
            return [None]
        runs = self._runs(control, seed) + self._runs(treatment, seed)
        if found["kind"] == "interval":
            low, high = self._level(found["lower"]), self._level(found["upper"])
            return [point(found["upper"], f"({low}, {high}]", runs)]
        if found["kind"] == "left":
            return [Value(0.0, found["upper"], f"≤ {self._level(found['upper'])}", runs)]
        if found["non_monotone"]:
            return [None]  # needed now and then
        return [Value(found["lower"], math.inf, f"> {self._level(found['lower'])}", runs)]

    def _range(self, rule):
        return self.definitions["ranges"][rule["range"]] if "range" in rule else (-math.inf, math.inf)

    def _gap(self, rule, _, stratum, seed):
        definition = self.definitions["gap"]
        a, b = (self.study.curve(definition[side], stratum) for side in ("minuend", "subtrahend"))
        if a is None or b is None:
            return [None]
        own = self.definitions["lr_sensitivity"]
        of_arms = [sensitivity(curve, seed, own["points"], own["weights"]) for curve in (a, b)]
        if all(one and one["never_trained"] for one in of_arms):
            return [None]  # two curves at chance
        low, high = self._range(rule)
        found = [(x, of_seeds.get(seed)) for x, of_seeds in pairs.gaps(a, b) if low <= x <= high]
        values = [value for _, value in found]
        if not values or None in values:
            return [None]
        runs = [[pairs.cell_at(curve, x).runs[seed].id for curve in (a, b)] for x, _ in found]
        if definition["average"] == "none":
            return [point(value, f"{value:+.3f} at {self._level(x)}", both)
                    for (x, value), both in zip(found, runs)]
        mean = sum(values) / len(values)
        return [point(mean, f"{mean:+.3f}", [run for both in runs for run in both])]

    def _cells(self, rule, curve):
        if rule.get("at") == "arm_best_lr":
            best = curve.best()
            return [] if best is None else [curve.cells[best]]
        low, high = self._range(rule)
        return [cell for cell in curve.cells if low <= cell.x <= high]

    def _final_val_loss(self, rule, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        cells = self._cells(rule, curve) if curve else []
        values = [pairs.bounded(cell.runs.get(seed)) for cell in cells]
        if not values or None in values:
            return [None]
        mean = sum(values) / len(values)
        return [point(mean, f"{mean:.3f}", [cell.runs[seed].id for cell in cells])]

    def _convergence(self, rule, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        if curve is None:
            return [None]
        definition = self.definitions["convergence"]
        target = pairs.target_of(self.study, curve, definition)
        found = []
        for cell in self._cells(rule, curve):
            run = cell.runs.get(seed)
            if run is None:
                continue
            steps = None if target is None else pairs.steps_to(run, target, definition["confirm_evals"])
            horizon = float(run.config["train"]["max_iters"])
            if steps == math.inf:
                found.append(Value(horizon, math.inf, f"> {horizon:.0f}", [run.id]))
            else:
                found.append(None if steps is None else point(steps, f"{steps:.0f}", [run.id]))
        return found or [None]
