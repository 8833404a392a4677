"""Hypotheses judged by their registered rules, three-valued after Kleene: None is unknown."""

import math

from . import tests, words
from .findings import k_all, k_any, k_not
from .quantities import Quantities

NAMES = ("supported_if", "contradicted_if")


def quorum(truths, wanted):
    """"all", or at least so many: true, false, or still open."""
    needed = len(truths) if wanted == "all" else wanted["at_least"]
    if not truths:
        return None
    if truths.count(True) >= needed:
        return True
    return False if len(truths) - truths.count(False) < needed else None


def same(a, b):
    """Rounding decides neither a tie nor a limit."""
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= 1e-12 * max(1.0, abs(a), abs(b))


def ordered(a, b, relation):
    """None where one is unknown, for ties, and where intervals do not tell."""
    if a is None or b is None or same(a.low, b.low) and same(a.high, b.high):
        return None
    if a.low >= b.high:
        return relation == "above"
    return relation == "below" if a.high <= b.low else None


def within(bounds, at_least, at_most):
    if bounds is None:
        return None
    low, high = bounds
    truths = []
    if at_least is not None:
        reached = high > at_least or low == high == at_least
        truths.append(True if low >= at_least or same(low, at_least) else None if reached else False)
    if at_most is not None:
        truths.append(True if high <= at_most or same(high, at_most) else False if low > at_most else None)
    return k_all(truths)


def bounds(value):
    return None if value is None else (value.low, value.high)


def ratio(last, first):
    if last is None or first is None or math.isinf(last.high) and math.isinf(first.high):
        return None
    return divided(last.low, first.high), divided(last.high, first.low)


def divided(a, b):
    return math.inf if b == 0 else 0.0 if math.isinf(b) else a / b


def leaf(truth, values, numbers):
    """The words and the runs are given where every value is known."""
    found = {"truth": truth}
    if None not in values:
        found["numbers"] = numbers()
        found["runs"] = [run for value in values for run in value.runs]
    return found


def branch(truth, parts):
    return {"truth": truth, "parts": parts} if parts else {"truth": truth}


class Judge:
    def __init__(self, study, prereg):
        self.study = study
        self.hypotheses = prereg.get("hypotheses") or {}
        plan = prereg.get("analysis") or {}
        correction = plan.get("correction") or {}
        self.method = correction.get("method", "holm")
        self.family = correction.get("family", list(self.hypotheses))
        seeds = prereg["grid"]["seed"]
        seeds = seeds if isinstance(seeds, list) else [seeds]
        self.seeds = seeds[: plan.get("seeds_required") or len(seeds)]
        self.quantities = Quantities(study, list(prereg["arms"]))
        self.tests = self._run_tests()

    def kinds(self):
        return [entry["verdict"] for entry in self.verdicts()]

    def verdicts(self):
        entries = []
        for name, hypothesis in self.hypotheses.items():
            rules = {rule: self.evidence(hypothesis[rule]) for rule in NAMES}
            entries.append({"id": name, "claim": hypothesis["claim"],
                            "verdict": kind(*(rules[rule]["truth"] for rule in NAMES)), **rules,
                            "tests": [entry_of(test) for test in self.tests
                                      if test["hypothesis"] == name]})
        return entries

    def evidence(self, rule):
        for key, together in (("all", k_all), ("any", k_any)):
            if key in rule:
                parts = [self.evidence(part) for part in rule[key]]
                return branch(together(part["truth"] for part in parts), parts)
        if "not" in rule:
            part = self.evidence(rule["not"])
            return branch(k_not(part["truth"]), [part])
        if "test" in rule:
            return self._of_test(rule)
        if "last_over_first" in rule:
            return self._across(rule)
        parts = [self._over_seeds(rule, lambda seed, s=stratum: self._of_seed(rule, s, seed))
                 for stratum in self.study.strata()]
        return branch(quorum([part["truth"] for part in parts], rule.get("strata", "all")), parts)

    def _over_seeds(self, rule, of_seed):
        parts = [of_seed(seed) for seed in self.seeds]
        return branch(quorum([part["truth"] for part in parts], rule.get("seeds", "all")), parts)

    def _of_seed(self, rule, stratum, seed):
        values = self.quantities.measure(rule, rule.get("arm"), stratum, seed)
        if "is" not in rule:
            low, high = rule.get("between", (rule.get("at_least"), rule.get("at_most")))
            return leaf(k_all(within(bounds(value), low, high) for value in values), values,
                        lambda: "; ".join(value.shown for value in values))
        others = self.quantities.measure(rule, rule["than"], stratum, seed)
        both = list(zip(values, others))
        return leaf(k_all(ordered(a, b, rule["is"]) for a, b in both),
                    [value for pair in both for value in pair],
                    lambda: "; ".join(f"{rule['arm']} {a.shown}, {rule['than']} {b.shown}" for a, b in both))

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
        return self.quantities.measure(rule, rule.get("arm"), stratum, seed)[0]

    def _across(self, rule):
        parts = [self._over_seeds(rule, lambda seed, s=strata: self._ratio_of_seed(rule, s, seed))
                 for strata in self._groups(rule["across"]) if len(strata) > 1]
        return branch(quorum([part["truth"] for part in parts], rule.get("strata", "all")), parts)

    def _ratio_of_seed(self, rule, strata, seed):
        last, first = self._one(rule, strata[-1], seed), self._one(rule, strata[0], seed)
        limits = rule["last_over_first"]
        found = ratio(last, first)

        def numbers():
            text = f"{last.shown} over {first.shown}"
            if found and found[0] == found[1]:
                text += " = " + words.number(round(found[0] * 1000) / 1000)
            return text

        return leaf(within(found, limits.get("at_least"), limits.get("at_most")), [last, first], numbers)

    # Tests.

    def outcome(self, rule):
        """(statistic, p, smallest p, n), or None when a value cannot be ranked."""
        groups = self._groups(rule["across"])
        blocks = [[self._one(rule, stratum, seed) for stratum in strata]
                  for strata in groups for seed in self.seeds]
        if len(groups[0]) < 2 or any(None in block for block in blocks):
            return None
        blocks = [[float(f"{value.high:.12g}") for value in block] for block in blocks]
        if rule["test"] == "page_l":
            return (*tests.page_l(blocks, rule["trend"]), len(blocks))
        if len(groups) > 1:
            return None
        samples = [list(column) for column in zip(*blocks)]
        return (*tests.jonckheere_terpstra(samples, rule["trend"]), sum(map(len, samples)))

    def _run_tests(self):
        """[{hypothesis, rule, criterion, outcome, adjusted_p, adjusted_minimum_p}]"""
        found = [{"hypothesis": name, "rule": rule, "criterion": criterion,
                  "outcome": self.outcome(criterion)}
                 for name, hypothesis in self.hypotheses.items() for rule in NAMES
                 for criterion in leaves(hypothesis[rule]) if "test" in criterion]
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

    def _of_test(self, rule):
        test = next(test for test in self.tests if test["criterion"] == rule)
        if test["outcome"] is None:
            return {"truth": None}
        statistic, p, _, n = test["outcome"]
        possible = test["adjusted_minimum_p"] <= rule["p_at_most"]
        numbers = (f"statistic {words.number(statistic)}, n {n}, p {p:.3g}, adjusted "
                   f"{test['adjusted_p']:.3g}, smallest possible {test['adjusted_minimum_p']:.3g}")
        return {"truth": test["adjusted_p"] <= rule["p_at_most"] if possible else None,
                "numbers": numbers}


def kind(supported, contradicted):
    if supported and contradicted:
        return "registration conflict"
    if supported:
        return "supported"
    if contradicted:
        return "contradicted"
    return "inconclusive" if supported is None or contradicted is None else "not supported"


def entry_of(test):
    criterion = test["criterion"]
    entry = {"rule": test["rule"], "alpha": criterion["p_at_most"],
             **{key: criterion[key] for key in ("test", "quantity", "across", "trend")}}
    if test["outcome"]:
        entry["statistic"], entry["p"], _, entry["n"] = test["outcome"]
        entry["adjusted_p"] = test["adjusted_p"]
        entry["minimum_p"] = test["adjusted_minimum_p"]
    return entry


def leaves(rule):
    for key in ("all", "any"):
        if key in rule:
            return [leaf_ for part in rule[key] for leaf_ in leaves(part)]
    return leaves(rule["not"]) if "not" in rule else [rule]
