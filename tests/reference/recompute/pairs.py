"""Findings that compare two arms: necessity, gaps; and the steps to a loss."""

import itertools
import math

from .findings import k_not, stratum_from, usable


def bounded(run):
    """min(l, l0), l0 for a run that went non-finite; None while it is missing."""
    if run is None or not run.finished or run.initial is None:
        return None
    return run.initial if run.final is None else min(run.final, run.initial)


def cell_at(curve, x):
    return next((cell for cell in curve.cells if cell.x == x), None)


def gaps(minuend, subtrahend):
    """[(x, {seed: difference or None})] over the levels that both arms have."""
    found = []
    for cell in minuend.cells:
        other = cell_at(subtrahend, cell.x)
        if other is None:
            continue
        of_seeds = {}
        for seed, run in cell.runs.items():
            a, b = bounded(run), bounded(other.runs.get(seed))
            of_seeds[seed] = None if a is None or b is None else a - b
        found.append((cell.x, of_seeds))
    return found


def control_fails(control, cell, other, seeds, rule):
    if isinstance(rule, dict):
        values = []
        for seed in seeds:
            a = bounded(cell.runs.get(seed))
            b = bounded(other.runs.get(seed)) if other else None
            values.append(None if a is None or b is None else a - b)
        return None if None in values else sum(values) / len(values) > rule["worse_by"]
    return k_not(usable(control, cell, seeds, rule))


def necessity(control, treatment, seeds, rule):
    """{"kind", "lower", "upper", "non_monotone"}, or None while it cannot be said.

    The lowest level from the control's best on at which the control fails and the treatment does not,
    such that the control fails at every higher level at which the treatment is usable.
    """
    best = control.best()
    if best is None:
        return None
    states = []  # of each level: what it may be
    fails = []
    for cell in control.cells[best:]:
        other = cell_at(treatment, cell.x)
        works = usable(treatment, other, seeds, "unusable") if other else None
        fails.append(control_fails(control, cell, other, seeds, rule["control"]))
        states.append(possible(works, fails[-1]))
    xs = [cell.x for cell in control.cells[best:]]
    outcomes = {outcome_of(turned_out, xs, rule["persistent"])
                for turned_out in itertools.product(*states)}
    if len(outcomes) != 1:
        return None
    kind, lower, upper = outcomes.pop()
    if kind == "none needed":
        if None in fails and True not in fails:
            return None
        kind = "no window" if True in fails else "right"
        lower = xs[-1] if kind == "right" else None
    known = [state[0] if len(state) == 1 else None for state in states]
    return {"kind": kind, "lower": lower, "upper": upper, "non_monotone": irregular(known)}


def possible(treatment_works, control_fails_):
    """Kleene: an unknown half leaves what it could turn out to be."""
    found = []
    if treatment_works is not False:
        found += ["needed"] if control_fails_ is not False else []
        found += ["not needed"] if control_fails_ is not True else []
    if treatment_works is not True:
        found.append("no help")
    return found


def outcome_of(states, xs, persistent):
    for i, state in enumerate(states):
        if state != "needed":
            continue
        if persistent and "not needed" in states[i + 1:]:
            continue
        return ("left", None, xs[i]) if i == 0 else ("interval", xs[i - 1], xs[i])
    if "needed" in states:
        return "right", xs[-1], None  # needed now and then, not from some level on
    return "none needed", None, None


def irregular(states):
    return "needed" in states and "not needed" in states[states.index("needed"):]


def crossing(control, treatment, margin):
    """Where the mean gap first passes `margin` from the control's best level on, linear in ln x."""
    best = control.best()
    if best is None:
        return None
    before = None
    for x, of_seeds in gaps(control, treatment):
        values = list(of_seeds.values())
        if x < control.cells[best].x or None in values:
            continue
        mean = sum(values) / len(values)
        if before and before[1] <= margin < mean:
            share = (margin - before[1]) / (mean - before[1])
            return math.exp(math.log(before[0]) + share * math.log(x / before[0]))
        before = (x, mean)
    return None


def steps_to(run, target, confirm):
    """Updates until the loss is at most `target`, not left again by the next `confirm` evaluations,
    linear between evaluations; infinite when it was not reached; None while the run is missing."""
    if not run.finished:
        return None
    evals = [(line["step"], math.inf if line["val_loss"] is None else line["val_loss"])
             for line in run.metrics if "val_loss" in line]
    for i, (step, loss) in enumerate(evals):
        if not all(later <= target for _, later in evals[i: i + 1 + confirm]):
            continue
        if i == 0 or evals[i - 1][1] <= target or math.isinf(evals[i - 1][1]):
            return float(step)
        before, above = evals[i - 1]
        return before + (step - before) * (above - target) / (above - loss)
    return math.inf


def pilot_best(study, stratum, arm):
    """Lowest seed mean of the pilot's cells; a cell with a non-finite run has none."""
    means = [math.fsum(cell["final_val_loss"]) / len(cell["final_val_loss"])
             for cell in study.sweep.pilot["cells"]
             if cell["arm"] == arm and stratum_from(cell["stratum"]) == stratum
             and None not in cell["final_val_loss"]]
    return min(means, default=None)


def target_of(study, curve, rule):
    """None where the pilot has no complete cell of the arm in this stratum."""
    loss = rule["val_loss"]
    if not isinstance(loss, dict):
        return loss
    if "level" not in loss:
        best = pilot_best(study, curve.stratum, loss["pilot_arm"])
        return None if best is None else best + loss["best_final_plus"]
    floors = study.sweep.floors(next(iter(curve.cells[0].runs.values())))
    return floors[loss["level"][: -len("_floor")]] - loss["minus"]

