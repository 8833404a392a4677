"""Whether the way to a verdict differed from what was registered first."""

from .history import touched

NAMES = ("supported_if", "contradicted_if")
RESTS_ON = {
    "final_val_loss": {"final_val_loss", "ranges"},
    "gap": {"final_val_loss", "gap", "ranges"},
    "max_stable_lr": {"diverged", "unusable", "max_stable_lr"},
    "lr_sensitivity": {"final_val_loss", "lr_sensitivity"},
    "necessity_lr": {"diverged", "unusable", "necessity_lr"},
    "convergence": {"convergence", "ranges"},
}


def quantities(rule):
    if "quantity" in rule:
        return {rule["quantity"]}
    parts = rule.get("all", rule.get("any", [rule["not"]] if "not" in rule else []))
    return set().union(*map(quantities, parts))


def runs_behind(evidence):
    """Their ids, and whether all are known: an unknown value does not say what it would rest on."""
    found, known = set(evidence.get("runs", ())), "parts" in evidence or "numbers" in evidence
    for part in evidence.get("parts", ()):
        runs, all_known = runs_behind(part)
        found |= runs
        known &= all_known
    return found, known


def deviated(sweep, entry, hypothesis):
    """None: it hangs on the runs behind an unknown value."""
    effect = touched(sweep.amendments)
    definitions = set().union(*(RESTS_ON[q] for rule in NAMES for q in quantities(hypothesis[rule])))
    main = {spec["id"] for one in sweep.amendments for spec in one["added"] if spec["block"] == "main"}
    main |= {spec["id"] for spec in sweep.journal("plan.jsonl") if spec["block"] == "main"}
    if (entry["id"] in effect["hypotheses"] or definitions & set(effect["definitions"])
            or effect["analysis"] or effect["numerics"] or (sweep.prereg.get("gates") or {}).get("override") or main & set(effect["removed"])
            or any(not run.finished for run in sweep.runs)):
        return True
    behind = [runs_behind(entry[rule]) for rule in NAMES]
    if any(runs & set(effect["runs"]) for runs, _ in behind):
        return True
    return False if not effect["runs"] or all(known for _, known in behind) else None
