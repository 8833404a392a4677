"""What was measured inside the runs: thresholds, when they were passed, how smoothly runs trained."""

import math
import statistics

LOGIT, ENTROPY = "max_attention_logit", "attention_entropy/min"
THRESHOLDS = [(f"max logit > {words}", LOGIT, bound, False)
              for words, bound in (("1e2", 1e2), ("1e3", 1e3), ("1e4", 1e4), ("5e4", 5e4))]
THRESHOLDS.append(("min entropy < 10 %", ENTROPY, 0.1, True))
NONFINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
WINDOW, HEIGHT = 201, 0.1  # of a spike: training lines, nats


def number(entry, name):
    """A value that may not be finite: null beside its word."""
    value = entry[name]
    return NONFINITE[entry["nonfinite"][name]] if value is None else value


def is_headline(name):
    """Values over everything, extremes, behind the last block, and block 0's logit."""
    first, slash, rest = name.partition("/")
    return not slash or rest in ("min", "max", "out") or name == LOGIT + "/L0"


def measured(run):
    """[(step, {name: value})]"""
    return [(line["step"], {name: number(line["mechanism"], name) for name in line["mechanism"]
                            if name != "nonfinite" and is_headline(name)})
            for line in run.metrics if "mechanism" in line]


def evaluations(run):
    return [(line["step"], number(line, "val_loss")) for line in run.metrics if "val_loss" in line]


def passes(threshold, value, context):
    _, _, bound, of_most = threshold
    if not math.isfinite(value):
        return True
    return value < bound * math.lgamma(context + 1) / context if of_most else value > bound


def onset(step, before):
    return {"step": step, "not_before": before}


def passage(run, threshold):
    before = None
    for step, values in measured(run):
        if threshold[1] not in values:
            continue
        if passes(threshold, values[threshold[1]], run.config["model"]["block_size"]):
            return onset(step, before)
        before = step
    return None


def reference(curve):
    """At each step the lowest mean among complete cells in which no run ended unusable."""
    lowest = {}
    for cell in curve.cells:
        runs = list(cell.runs.values())
        if any(curve.judgements[run.id][2] is not False for run in runs):
            continue
        of_runs = [dict(evaluations(run)) for run in runs]
        for step in set.intersection(*map(set, of_runs)):
            mean = sum(losses[step] for losses in of_runs) / len(runs)
            lowest[step] = min(mean, lowest.get(step, math.inf))
    return lowest


def worse_from(run, held_against, margin):
    """The first evaluation from which on, to the last, the run is worse."""
    found = before = None
    for step, loss in evaluations(run):
        worse = not math.isfinite(loss) or step in held_against and loss > held_against[step] + margin
        if not worse:
            found = None
        elif found is None:
            found = onset(step, before)
        before = step
    if found is None and run.result["outcome"] == "nonfinite":
        return onset(run.result["step"], before)
    return found


def order(passed, worse):
    if worse is None:
        return "undecided"
    if worse["not_before"] is not None and passed["step"] <= worse["not_before"]:
        return "before"
    after = passed["not_before"] is not None and worse["step"] <= passed["not_before"]
    return "after" if after else "undecided"


def values_entry(values):
    entry, words = {}, {}
    for name, value in values.items():
        entry[name] = value if math.isfinite(value) else None
        if entry[name] is None:
            words[name] = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return {**entry, "nonfinite": words} if words else entry


class CurveMechanism:
    def __init__(self, curve, thresholds, margin):
        self.curve = curve
        self.thresholds = thresholds
        held_against = reference(curve)
        self.finished = [[run for run in cell.runs.values() if run.finished] for cell in curve.cells]
        self.worse = {run.id: worse_from(run, held_against, margin)
                      for runs in self.finished for run in runs}
        self.passed = {run.id: [passage(run, threshold) for threshold in thresholds]
                       for runs in self.finished for run in runs}

    def place(self):
        return {"arm": self.curve.arm, "stratum": self.curve.stratum}

    def cells(self):
        for cell, runs in zip(self.curve.cells, self.finished):
            yield {**self.place(), "x": cell.x, "runs": [
                {"seed": run.seed, "id": run.id, "worse_from": self.worse[run.id],
                 "steps": [{"step": step, "values": values_entry(values)} for step, values in measured(run)],
                 "passed": {threshold[0]: found
                            for threshold, found in zip(self.thresholds, self.passed[run.id])}}
                for run in runs]}

    def crossings(self):
        for i, threshold in enumerate(self.thresholds):
            yield {**self.place(), "threshold": threshold[0], "any_seed": self._crossing(i, any),
                   "every_seed": self._crossing(i, all), "runs": self._counts(i)}

    def _crossing(self, i, together):
        """The lowest level; open while a missing run could lower it."""
        for cell, runs in zip(self.curve.cells, self.finished):
            passed = [self.passed[run.id][i] is not None for run in runs]
            missing = [run.id for run in cell.runs.values() if not run.finished]
            if together is any and any(passed):
                return {"level": cell.x}
            if together is all and not all(passed):
                continue
            if missing:
                return {"level": None, "runs": missing}
            if passed and together(passed):
                return {"level": cell.x}
        return {"level": None}

    def _counts(self, i):
        counts = dict.fromkeys(("before", "undecided", "after", "without", "harmless", "neither"), 0)
        for runs in self.finished:
            for run in runs:
                passed = self.passed[run.id][i]
                if self.curve.judgements[run.id][2] is not True:
                    counts["neither" if passed is None else "harmless"] += 1
                else:
                    counts["without" if passed is None else order(passed, self.worse[run.id])] += 1
        return counts


def mechanism(study):
    """None when nothing was measured."""
    steps = [one for run in study.sweep.all_runs if run.finished for one in measured(run)]
    names = {name for _, values in steps for name in values}
    if not names:
        return None
    thresholds = [threshold for threshold in THRESHOLDS if threshold[1] in names]
    rules = study.definitions["unusable"]["any"]
    margin = next((rule["by"] for rule in rules if rule["rule"] == "degraded"), 0.3)
    curves = [CurveMechanism(curve, thresholds, margin) for curve in study.curves]
    return {
        "last_step": max(step for step, _ in steps),
        "worse_by": margin,
        "thresholds": [{"name": name, "quantity": quantity, "bound": bound, "share_of_most": of_most}
                       for name, quantity, bound, of_most in thresholds],
        "cells": [entry for curve in curves for entry in curve.cells()],
        "crossings": [entry for curve in curves for entry in curve.crossings()],
    }


def quantile(values, q):
    """Linear between order statistics at place q (n - 1)."""
    values = sorted(value for value in values if not math.isnan(value))
    if not values:
        return None
    place = q * (len(values) - 1)
    low = values[math.floor(place)]
    high = values[min(math.floor(place) + 1, len(values) - 1)]
    share = place - math.floor(place)
    return low if share == 0 or low == high else low + share * (high - low)


def spikes(losses):
    """Above the median of the last lines, its own included; what is not finite is one."""
    count, finite = 0, []
    for loss in losses:
        if not math.isfinite(loss):
            count += 1
            continue
        finite.append(loss)
        count += loss > statistics.median(finite[-WINDOW:]) + HEIGHT
    return count


def health_of(run):
    lines = [line for line in run.metrics if "train_loss" in line]
    norms = [number(line, "grad_norm") if "grad_norm" in line else math.nan for line in lines]
    found = {"seed": run.seed, "id": run.id, "lines": len(lines),
             "spikes": spikes([number(line, "train_loss") for line in lines]),
             "clip_share": run.result["clip_count"] / max(run.result["step"], 1)}
    found["spikes_per_10k"] = 1e4 * found["spikes"] / len(lines)
    for name, q in (("grad_norm_p50", 0.5), ("grad_norm_p99_9", 0.999)):
        value = quantile(norms, q)
        found[name] = value if value is not None and math.isfinite(value) else None
    return found


def training_health(study):
    entries = []
    for curve in study.curves:
        for cell in curve.cells:
            runs = [health_of(run) for run in cell.runs.values()
                    if run.finished and any("train_loss" in line for line in run.metrics)]
            if runs:
                entries.append({"arm": curve.arm, "stratum": curve.stratum, "x": cell.x, "runs": runs})
    return entries
