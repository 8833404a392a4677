"""What happened to the registration: amendments, what they touched, notes, anchors."""

import json
import os

LAST = {"main": 0, "exploratory": 2}  # the order of blocks; robustness between


def read_amendments(folder):
    """In order."""
    path = os.path.join(folder, "amendments")
    found = []
    for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
        if name.endswith(".json"):
            with open(os.path.join(path, name), encoding="utf-8") as file:
                found.append(json.load(file))
    return found


def prereg_in_force(folder, amendments):
    """The text of the last amendment that changed it."""
    numbers = [one["number"] for one in amendments if one["kind"] in ("change", "editorial")]
    name = f"amendments/{numbers[-1]:04d}.yaml" if numbers else "prereg.yaml"
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def plan_in_force(plan, amendments):
    for amendment in amendments:
        gone = set(amendment["removed"]) | {spec["id"] for spec in amendment["added"]}
        plan = [spec for spec in plan if spec["id"] not in gone] + amendment["added"]
    return sorted(plan, key=lambda spec: LAST.get(spec["block"], 1))


def touched(amendments):
    """Each thing by the last amendment that changed its meaning."""
    found = {"runs": {}, "removed": {}, "definitions": {}, "hypotheses": {}, "analysis": None,
             "numerics": None}
    for one in amendments:
        if one["kind"] == "exploratory":
            continue
        seen = one["seen"]
        touch = {"amendment": one["number"], "after_data": bool(seen["finished"]),
                 "after_a_look": seen["complete"] or seen["peeks"] > 0}
        for run in one["removed"]:
            found["runs"].pop(run, None)
            found["removed"][run] = touch
        for spec in one["added"]:
            found["removed"].pop(spec["id"], None)
            found["runs"][spec["id"]] = touch
        for kind in ("definitions", "hypotheses"):
            found[kind].update({name: touch for name in one[kind]})
        if one["analysis"]:
            found["analysis"] = touch
        if one["kind"] == "numerics":
            found["numerics"] = touch
    return found


def history(sweep):
    """The keys of the report."""
    return {
        "amendments": [{**one, "added": [spec["id"] for spec in one["added"]]} for one in sweep.amendments],
        "touched": touched(sweep.amendments),
        "notes": sweep.journal("notes.jsonl"),
        "anchors": [{"time": one["time"], "of": one["of"], "sha256": one["sha256"]}
                    for one in sweep.journal("anchors.jsonl")],
    }
