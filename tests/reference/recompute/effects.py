"""Effect sizes beside the verdicts: mean gaps over ranges, and the slope of the necessity LR."""

import itertools
import math

from . import pairs, student


def gap_arms(study, arms):
    rule = study.definitions["gap"]
    return [(rule["minuend"], rule["subtrahend"])] if rule else [(arms[0], arm) for arm in arms[1:]]


def margins(rule, name):
    """What a criterion allows the mean gap over this range to be."""
    if rule.get("quantity") == "gap" and rule.get("range") == name and "between" in rule:
        return rule["between"]
    parts = rule.get("all", rule.get("any", [rule["not"]] if "not" in rule else []))
    return next((found for part in parts if (found := margins(part, name))), None)


def range_effects(study, prereg):
    seeds = sorted({seed for curve in study.curves for seed in curve.seeds})
    rules = [rule["supported_if"] for rule in (prereg.get("hypotheses") or {}).values()]
    entries = []
    for stratum in study.strata():
        for names in gap_arms(study, list(prereg["arms"])):
            a, b = (study.curve(name, stratum) for name in names)
            for name, (low, high) in (study.definitions["ranges"] or {}).items() if a and b else []:
                points = [of_seeds for x, of_seeds in pairs.gaps(a, b) if low <= x <= high]
                means = [mean_or_none([of_seeds.get(seed) for of_seeds in points if seed in of_seeds])
                         for seed in seeds]
                allowed = next((found for rule in rules if (found := margins(rule, name))), None)
                entries.append({"stratum": stratum, "range": name, "low": low, "high": high,
                                **effect(means, allowed)})
    return entries


def mean_or_none(values):
    return None if not values or None in values else sum(values) / len(values)


def effect(means, allowed):
    if None in means:
        return {"half_width_95": None, "p": None, "minimum_p": None, "tost": None}
    n, mean = len(means), math.fsum(means) / len(means)
    found = {"n": n, "mean": mean, "sd": None, "half_width_95": None, "tost": None}
    flips = [abs(math.fsum(sign * value for sign, value in zip(signs, means)))
             for signs in itertools.product((1, -1), repeat=n)]
    slack = 1e-12 * math.fsum(map(abs, means))
    found["p"] = sum(flip >= abs(math.fsum(means)) - slack for flip in flips) / len(flips)
    found["minimum_p"] = sum(flip >= max(flips) - slack for flip in flips) / len(flips)
    if n > 1:
        sd = math.sqrt(math.fsum((value - mean) ** 2 for value in means) / (n - 1))
        error = sd / math.sqrt(n)
        found.update(sd=sd, half_width_95=student.quantile(0.025, n - 1) * error)
        if allowed and max(means) > min(means) and allowed[0] < allowed[1]:
            found["tost"] = {"low": allowed[0], "high": allowed[1],
                             "p_low": student.upper_tail((mean - allowed[0]) / error, n - 1),
                             "p_high": student.upper_tail((allowed[1] - mean) / error, n - 1)}
    return found


def necessity_slope(study, prereg):
    strata = study.strata()
    if len(strata) < 2 or not all(isinstance(s, (int, float)) and s > 0 for s in strata):
        return []
    factor = next(f for f in study.sweep.runs[0].levels if f != study.axis)
    control, *treatments = prereg["arms"]
    entries = []
    for arm in treatments:
        found = thresholds(study, control, arm)
        entry = {"treatment": arm, "factor": factor}
        if found and len({depth for depth, _, _ in found}) > 1:
            entry.update(n=len(found), min=slope(found, False), max=slope(found, True))
        entries.append(entry)
    return entries


def thresholds(study, control_arm, arm):
    """[(depth, lower, upper)] of every seed, None when one has no bounds."""
    found = []
    for stratum in study.strata():
        control, treatment = study.curve(control_arm, stratum), study.curve(arm, stratum)
        for seed in control.seeds if control and treatment else []:
            one = pairs.necessity(control, treatment, [seed], study.definitions["necessity_lr"])
            if one is None or one["kind"] == "no window" or one["kind"] == "right" and one["non_monotone"]:
                return None
            found.append((stratum, one["lower"] or 0.0, one["upper"] or math.inf))
    return found


def slope(found, largest):
    """Least squares of log10(threshold) on log2(depth) is linear in every threshold."""
    u = [math.log2(depth) for depth, _, _ in found]
    mean = math.fsum(u) / len(u)
    squares = math.fsum((x - mean) ** 2 for x in u)
    total = []
    for x, (_, lower, upper) in zip(u, found):
        weight = (x - mean) / squares
        if abs(x - mean) < 1e-12:
            continue
        end = upper if (weight > 0) == largest else lower
        if end in (0, math.inf):
            return None
        total.append(weight * math.log10(end))
    return math.fsum(total)
