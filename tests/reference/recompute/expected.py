"""The report's JSON, built from the records: the same keys, every number computed here."""

import math

from .findings import Study, max_stable, sensitivity
from .registered import definitions_of


def expected_report(sweep):
    prereg = sweep.prereg
    axis = (prereg.get("roles") or {}).get("axis", "train.learning_rate")
    definitions = definitions_of(prereg)
    study = Study(sweep, axis, list(prereg["arms"]), definitions)
    missing = [run.id for run in sweep.all_runs if not run.finished]
    return {
        "title": prereg["title"],
        "question": prereg["question"],
        "complete": not missing,
        "planned": len(sweep.all_runs),
        "finished": len(sweep.all_runs) - len(missing),
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
    for key in ("best_loss", "best_x", "never_trained"):
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
