"""What was registered, with the defaults of docs/definitions.md where the YAML is silent."""

FINAL_LOSS = {"when": "last_iter", "nonfinite_as": "initial_val_loss", "cap": "initial_val_loss"}
DIVERGED = [{"rule": "nonfinite"},
            {"rule": "final_loss_at_least", "level": "initial_val_loss"},
            {"rule": "final_loss_at_least", "level": "unigram_floor", "minus": 0.1}]
UNUSABLE = [{"rule": "diverged"}, {"rule": "degraded", "by": 0.3}]
OF_RULES = {"final_loss_at_least": {"minus": 0.0},
            "degraded": {"reference": "best_seed_mean", "of": "same_arm_and_stratum"}}
OTHERS = {
    "max_stable_lr": {"failure": "unusable", "scan": "upward_from_arm_best", "contiguous": True,
                      "per": "seed"},
    "lr_sensitivity": {"points": "all", "weights": "equal", "best": "min_capped", "per": "seed"},
    "necessity_lr": {"control": "unusable", "treatment": "usable", "scan": "upward_from_control_best",
                     "persistent": True, "per": "seed"},
}
OPTIONAL = {  # not there unless registered
    "gap": {"of": "final_val_loss", "average": "range", "per": "seed"},
    "convergence": {"confirm_evals": 1, "compare_at": ["same_lr", "arm_best_lr"]},
}


def rules(registered, default):
    found = registered["any"] if registered else default
    return {"any": [{**OF_RULES.get(rule["rule"], {}), **rule} for rule in found]}


def definitions_of(prereg):
    own = prereg.get("definitions") or {}
    found = {"ranges": own.get("ranges"),
             "final_val_loss": {**FINAL_LOSS, **own.get("final_val_loss", {})},
             "diverged": rules(own.get("diverged"), DIVERGED),
             "unusable": rules(own.get("unusable"), UNUSABLE)}
    for name, defaults in OTHERS.items():
        found[name] = {**defaults, **own.get(name, {})}
    for name, defaults in OPTIONAL.items():
        found[name] = {**defaults, **own[name]} if name in own else None
    convergence = found["convergence"]
    if convergence and isinstance(convergence["val_loss"], dict) and "level" in convergence["val_loss"]:
        convergence["val_loss"] = {"minus": 0.0, **convergence["val_loss"]}
    return found
