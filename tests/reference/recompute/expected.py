"""The report's JSON, built from the records: the same keys, every number computed here."""

import math

from . import pairs
from .deviations import deviated
from .effects import gap_arms, necessity_slope, range_effects
from .findings import Study, max_stable, sensitivity
from .fragility import fragility
from .history import history
from .mechanism import mechanism, training_health
from .registered import definitions_of
from .verdicts import Judge


def expected_report(sweep):
    prereg = sweep.prereg
    axis = (prereg.get("roles") or {}).get("axis", "train.learning_rate")
    definitions = definitions_of(prereg)
    study = Study(sweep, axis, list(prereg["arms"]), definitions)
    missing = [run.id for run in sweep.planned if not run.finished]
    return {
        "title": prereg["title"],
        "question": prereg["question"],
        "complete": not missing,
        "planned": len(sweep.planned),
        "finished": len(sweep.planned) - len(missing),
        "missing": missing,
        "axis": axis,
        "arms": list(prereg["arms"]),
        "strata": study.strata(),
        "seeds": sorted({seed for curve in study.curves for seed in curve.seeds}),
        "definitions": definitions,
        "cells": cells(study),
        "floors": shared_floors(study),
        "best": best(study),
        "max_stable_lr": max_stable_lr(study),
        "lr_sensitivity": [lr_sensitivity(study, curve) for curve in study.curves],
        "necessity_lr": necessity_lr(study, list(prereg["arms"])),
        "gap": gap(study, list(prereg["arms"])),
        "convergence": convergence(study),
        "range_effects": range_effects(study, prereg),
        "necessity_slope": necessity_slope(study, prereg),
        "verdicts": verdicts(study),
        "fragility": fragility(study, prereg),
        "mechanism": mechanism(study),
        "training_health": training_health(study),
        **history(sweep),
    }


def place(curve):
    return {"arm": curve.arm, "stratum": curve.stratum}


def put(entry, key, value):
    """A number, or null with a word beside it when it is not finite."""
    entry[key] = value
    if value is None:
        entry.setdefault("nonfinite", {})[key] = "nan"


def run_entry(curve, run):
    status, diverged, unusable = curve.judgements[run.id]
    entry = {"seed": run.seed, "id": run.id, "status": status, "diverged": diverged,
             "unusable": unusable}
    if run.finished:
        put(entry, "final_val_loss", run.final)
        put(entry, "initial_val_loss", run.initial)
    return entry


def cells(study):
    return [{**place(curve), "x": cell.x,
             "runs": [run_entry(curve, run) for run in cell.runs.values()]}
            for curve in study.curves for cell in curve.cells]


def shared_floors(study):
    """None when cells were evaluated on different tokens."""
    of_cells = [study.sweep.floors(next(iter(cell.runs.values())))
                for curve in study.curves for cell in curve.cells]
    return of_cells[0] if all(floors == of_cells[0] for floors in of_cells) else None


def best(study):
    entries = []
    for curve in study.curves:
        index = curve.best()
        entries.append({**place(curve), "x": None if index is None else curve.cells[index].x,
                        "mean": curve.reference(),
                        "stratum_reference": study.stratum_reference(curve.stratum)})
    return entries


def max_stable_lr(study):
    rule = study.definitions["max_stable_lr"]
    entries = []
    for curve in study.curves:
        for seed in [*curve.seeds, "all"]:
            seeds = None if seed == "all" else [seed]
            found = max_stable(curve, seeds, rule["failure"], rule["contiguous"])
            strict = max_stable(curve, seeds, "diverged", rule["contiguous"])
            entry = {**place(curve), "seed": seed, "value": None, "upper": None,
                     "censored": "missing"}
            entry.update(found or {"runs": undecided(curve, seeds, rule)})
            entry["strict_value"] = strict["value"] if strict else None
            entries.append(entry)
    return entries


def undecided(curve, seeds, rule):
    """Ids of the runs at the level where the scan stopped without an answer."""
    index = 1 if rule["failure"] == "diverged" else 2
    start = curve.best()
    if start is None:
        return []
    order = range(start, len(curve.cells))
    if not rule["contiguous"]:
        order = [start, *reversed(range(len(curve.cells)))]
    for i in order:
        runs = [run for seed, run in curve.cells[i].runs.items() if seeds is None or seed in seeds]
        truths = [curve.judgements[run.id][index] for run in runs]
        if True not in truths and None in truths:
            return [run.id for run, truth in zip(runs, truths) if truth is None]
    return []


def lr_sensitivity(study, curve):
    rule = study.definitions["lr_sensitivity"]
    registered = [sensitivity(curve, seed, rule["points"], rule["weights"]) for seed in curve.seeds]
    entry = {**place(curve), **averaged(registered), "seeds": curve.seeds}
    for key in ("best_loss", "best_x", "initial_loss", "below", "above", "never_trained"):
        entry[key] = [one[key] if one else None for one in registered]
    for name, points, weights in [("equal", "all", "equal"), ("log_trapezoid", "all", "log_trapezoid"),
                                  ("wortsman", "wortsman", "equal")]:
        entry[name] = averaged([sensitivity(curve, seed, points, weights) for seed in curve.seeds])
    if entry["mean"] is None:
        entry["runs"] = [run.id for seed in curve.seeds for cell in curve.cells
                         if (run := cell.runs.get(seed)) and (not run.finished or run.initial is None)]
    return entry


def averaged(of_seeds):
    values = [one["value"] if one else None for one in of_seeds]
    known = values and None not in values
    return {"mean": math.fsum(values) / len(values) if known else None, "per_seed": values}


def necessity_lr(study, arms):
    rule = study.definitions["necessity_lr"]
    margin = rule["control"]["worse_by"] if isinstance(rule["control"], dict) else 0.1
    entries = []
    for stratum in study.strata():
        control = study.curve(arms[0], stratum)
        for arm in arms[1:]:
            treatment = study.curve(arm, stratum)
            if control is None or treatment is None:
                continue
            for seed in [*control.seeds, "all"]:
                seeds = control.seeds if seed == "all" else [seed]
                entry = {"control": arms[0], "treatment": arm, "stratum": stratum, "seed": seed,
                         **necessity_entry(pairs.necessity(control, treatment, seeds, rule))}
                if seed == "all":
                    entry["crossing"] = pairs.crossing(control, treatment, margin)
                    entry["crossing_gap"] = margin
                entries.append(entry)
    return entries


def necessity_entry(found):
    if found is None:
        return {"value": None, "lower": None, "censored": "missing"}
    censored = None if found["kind"] == "interval" else found["kind"]
    return {"value": found["upper"], "lower": found["lower"], "censored": censored,
            "non_monotone": found["non_monotone"]}


def gap(study, arms):
    entries = []
    for stratum in study.strata():
        for names in gap_arms(study, arms):
            a, b = (study.curve(name, stratum) for name in names)
            for x, of_seeds in pairs.gaps(a, b) if a and b else []:
                values = list(of_seeds.values())
                entries.append({"minuend": names[0], "subtrahend": names[1], "stratum": stratum, "x": x,
                                **mean_and_deviation(values), "seeds": list(of_seeds),
                                "per_seed": values})
    return entries


def mean_and_deviation(values):
    if not values or None in values:
        return {"mean": None, "sd": None}
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return {"mean": mean, "sd": math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None}


def convergence(study):
    rule = study.definitions["convergence"]
    entries = []
    for curve in study.curves if rule else []:
        target = pairs.target_of(study, curve, rule)
        for cell in curve.cells:
            steps = [None if target is None else pairs.steps_to(run, target, rule["confirm_evals"])
                     for run in cell.runs.values()]
            known = target is not None and any(run.finished for run in cell.runs.values())
            horizon = next(iter(cell.runs.values())).config["train"]["max_iters"]
            entries.append({**place(curve), "x": cell.x, "target": target, "seeds": list(cell.runs),
                            "per_seed": [None if s == math.inf else s for s in steps],
                            "horizon": horizon if known else None})
    return entries


def verdicts(study):
    sweep = study.sweep
    entries = Judge(study, sweep.prereg).verdicts()
    for entry in entries:
        found = deviated(sweep, entry, sweep.prereg["hypotheses"][entry["id"]])
        if found is not None:
            entry["deviated"] = found
    return entries
