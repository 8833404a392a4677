"""Hypotheses judged by their registered rules, three-valued after Kleene: None is unknown."""

import math

from . import pairs, tests
from .findings import k_all, k_any, k_not, max_stable, sensitivity


def quorum(truths, wanted):
    """"all", or at least so many: true, false, or still open."""
    needed = len(truths) if wanted == "all" else wanted["at_least"]
    if not truths:
        return None
    if truths.count(True) >= needed:
        return True
    return False if len(truths) - truths.count(False) < needed else None


def ordered(a, b, relation):
    """Intervals [low, high); None where one is unknown or they do not tell."""
    if a is None or b is None or a == b:
        return None
    if a[0] >= b[1]:
        return relation == "above"
    return relation == "below" if a[1] <= b[0] else None


def within(value, at_least, at_most):
    if value is None:
        return None
    low, high = value
    truths = []
    if at_least is not None:
        reached = high > at_least or low == high == at_least
        truths.append(True if low >= at_least else None if reached else False)
    if at_most is not None:
        truths.append(True if high <= at_most else False if low > at_most else None)
    return k_all(truths)


def ratio(last, first):
    if last is None or first is None or math.isinf(last[1]) and math.isinf(first[1]):
        return None
    return divided(last[0], first[1]), divided(last[1], first[0])


def divided(a, b):
    return math.inf if b == 0 else 0.0 if math.isinf(b) else a / b


def point(value):
    return None if value is None else (value, value)


class Judge:
    def __init__(self, study, prereg):
        self.study = study
        self.definitions = study.definitions
        self.hypotheses = prereg.get("hypotheses") or {}
        plan = prereg.get("analysis") or {}
        correction = plan.get("correction") or {}
        self.method = correction.get("method", "holm")
        self.family = correction.get("family", list(self.hypotheses))
        seeds = prereg["grid"]["seed"]
        seeds = seeds if isinstance(seeds, list) else [seeds]
        self.seeds = seeds[: plan.get("seeds_required") or len(seeds)]
        self.arms = list(prereg["arms"])
        self.tests = self._run_tests()

    def verdicts(self):
        return {name: self._verdict(rule) for name, rule in self.hypotheses.items()}

    def _verdict(self, hypothesis):
        supported, contradicted = (self.truth(hypothesis[rule])
                                   for rule in ("supported_if", "contradicted_if"))
        if supported and contradicted:
            return "registration conflict"
        if supported:
            return "supported"
        if contradicted:
            return "contradicted"
        return "inconclusive" if supported is None or contradicted is None else "not supported"

    def truth(self, rule):
        if "all" in rule:
            return k_all(self.truth(part) for part in rule["all"])
        if "any" in rule:
            return k_any(self.truth(part) for part in rule["any"])
        if "not" in rule:
            return k_not(self.truth(rule["not"]))
        if "test" in rule:
            return self._test_truth(rule)
        if "last_over_first" in rule:
            return self._across_truth(rule)
        return quorum([quorum([self._seed_truth(rule, stratum, seed) for seed in self.seeds],
                              rule.get("seeds", "all"))
                       for stratum in self.study.strata()], rule.get("strata", "all"))

    def _seed_truth(self, rule, stratum, seed):
        values = self.measure(rule, rule.get("arm"), stratum, seed)
        if "is" in rule:
            others = self.measure(rule, rule["than"], stratum, seed)
            return k_all(ordered(a, b, rule["is"]) for a, b in zip(values, others))
        low, high = rule.get("between", (rule.get("at_least"), rule.get("at_most")))
        return k_all(within(value, low, high) for value in values)

    # Across the levels of one factor.

    def _groups(self, factor):
        """Strata that differ in this factor only, in its order."""
        groups = {}
        for stratum in self.study.strata():
            rest = {}
            if isinstance(stratum, dict):
                rest = {key: value for key, value in stratum.items() if key != factor}
            groups.setdefault(repr(rest), []).append(stratum)
        return list(groups.values())

    def _one(self, rule, stratum, seed):
        return self.measure(rule, rule.get("arm"), stratum, seed)[0]

    def _across_truth(self, rule):
        limits = rule["last_over_first"]
        truths = []
        for strata in self._groups(rule["across"]):
            if len(strata) < 2:
                continue
            of_seeds = [within(ratio(self._one(rule, strata[-1], seed), self._one(rule, strata[0], seed)),
                               limits.get("at_least"), limits.get("at_most")) for seed in self.seeds]
            truths.append(quorum(of_seeds, rule.get("seeds", "all")))
        return quorum(truths, rule.get("strata", "all"))

    # Tests.

    def outcome(self, rule):
        """(statistic, p, smallest p, n), or None when a value cannot be ranked."""
        groups = self._groups(rule["across"])
        keys = [[[self._one(rule, stratum, seed) for stratum in strata] for seed in self.seeds]
                for strata in groups]
        blocks = [block for group in keys for block in group]
        if len(groups[0]) < 2 or any(None in block for block in blocks):
            return None
        blocks = [[value[1] for value in block] for block in blocks]
        if rule["test"] == "page_l":
            return (*tests.page_l(blocks, rule["trend"]), len(blocks))
        if len(groups) > 1:
            return None
        samples = [list(column) for column in zip(*blocks)]
        return (*tests.jonckheere_terpstra(samples, rule["trend"]), sum(map(len, samples)))

    def _run_tests(self):
        """[{hypothesis, rule, criterion, outcome, adjusted_p, adjusted_minimum_p}]"""
        found = []
        for name, hypothesis in self.hypotheses.items():
            for rule in ("supported_if", "contradicted_if"):
                for criterion in leaves(hypothesis[rule]):
                    if "test" in criterion:
                        found.append({"hypothesis": name, "rule": rule, "criterion": criterion,
                                      "outcome": self.outcome(criterion)})
        for test in found:
            test["adjusted_p"] = test["outcome"][1] if test["outcome"] else 1.0
            test["adjusted_minimum_p"] = test["outcome"][2] if test["outcome"] else 1.0
        if self.method == "holm":
            self._adjust(found)
        return found

    def _adjust(self, found):
        members = []  # one for a hypothesis without a test, so that the family keeps its size
        for name in self.family:
            members += [test for test in found if test["hypothesis"] == name] or [None]
        adjusted = tests.holm([test["adjusted_p"] if test else 1.0 for test in members])
        for test, p in zip(members, adjusted):
            if test:
                test["adjusted_p"] = p
                test["adjusted_minimum_p"] = min(1.0, len(members) * test["adjusted_minimum_p"])

    def _test_truth(self, rule):
        test = next(test for test in self.tests if test["criterion"] == rule)
        if test["outcome"] is None or test["adjusted_minimum_p"] > rule["p_at_most"]:
            return None
        return test["adjusted_p"] <= rule["p_at_most"]

    # Quantities of one stratum and seed: a list, with one value per level where each counts.

    def measure(self, rule, arm, stratum, seed):
        return getattr(self, "_" + rule["quantity"])(rule, arm, stratum, seed)

    def _max_stable_lr(self, _, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        rule = self.definitions["max_stable_lr"]
        if curve is None or seed not in curve.seeds:
            return [None]
        found = max_stable(curve, [seed], rule["failure"], rule["contiguous"])
        if found is None or found["censored"] == "none":
            return [None]
        return [(found["value"], math.inf if found["censored"] else found["upper"])]

    def _lr_sensitivity(self, rule, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        sides = [self.study.curve(rule[side], stratum) for side in ("arm", "than") if side in rule]
        if len({tuple(cell.x for cell in side.cells) for side in sides if side}) > 1:
            return [None]  # averages over different levels
        own = self.definitions["lr_sensitivity"]
        found = sensitivity(curve, seed, own["points"], own["weights"]) if curve else None
        # A curve that is at chance everywhere is flat, too.
        return [point(found["value"]) if found and not found["never_trained"] else None]

    def _necessity_lr(self, _, arm, stratum, seed):
        control = self.study.curve(self.arms[0], stratum)
        treatment = self.study.curve(arm or self.arms[1], stratum)
        if control is None or treatment is None or seed not in control.seeds:
            return [None]
        found = pairs.necessity(control, treatment, [seed], self.definitions["necessity_lr"])
        if found is None or found["kind"] == "no window":
            return [None]
        if found["kind"] == "right" and found["non_monotone"]:
            return [None]  # needed now and then
        if found["kind"] == "interval":
            return [point(found["upper"])]
        return [(0.0, found["upper"]) if found["kind"] == "left" else (found["lower"], math.inf)]

    def _range(self, rule):
        return self.definitions["ranges"][rule["range"]] if "range" in rule else (-math.inf, math.inf)

    def _gap(self, rule, _, stratum, seed):
        definition = self.definitions["gap"]
        a, b = (self.study.curve(definition[side], stratum) for side in ("minuend", "subtrahend"))
        if a is None or b is None:
            return [None]
        low, high = self._range(rule)
        values = [of_seeds.get(seed) for x, of_seeds in pairs.gaps(a, b) if low <= x <= high]
        if not values or None in values:
            return [None]
        if definition["average"] == "none":
            return [point(value) for value in values]
        return [point(sum(values) / len(values))]

    def _cells(self, rule, curve):
        if rule.get("at") == "arm_best_lr":
            best = curve.best()
            return [] if best is None else [curve.cells[best]]
        low, high = self._range(rule)
        return [cell for cell in curve.cells if low <= cell.x <= high]

    def _final_val_loss(self, rule, arm, stratum, seed):
        curve = self.study.curve(arm, stratum)
        values = [pairs.bounded(cell.runs.get(seed)) for cell in self._cells(rule, curve)] if curve else []
        if not values or None in values:
            return [None]
        return [point(sum(values) / len(values))]

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
            found.append((horizon, math.inf) if steps == math.inf else point(steps))
        return found or [None]


def leaves(rule):
    for key in ("all", "any"):
        if key in rule:
            return [leaf for part in rule[key] for leaf in leaves(part)]
    return leaves(rule["not"]) if "not" in rule else [rule]
