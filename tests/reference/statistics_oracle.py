"""Golden values of the exact tests and estimates, by SciPy and by counting in plain Python.

    statistics_oracle.py FILE           writes them
    statistics_oracle.py --check FILE   computes them anew and compares; exit 77 where SciPy is not there

Written from the definitions (docs/definitions.md, "Statistics") without a look at the C++ code. Where
SciPy has the test, SciPy's value is the golden one and the count must agree with it; where it has none
(ties in Page's L, Jonckheere-Terpstra, the smallest p that could be attained) every arrangement is
counted with whole numbers or fractions.
"""

import argparse
import itertools
import json
import math
import sys
from fractions import Fraction

try:
    import numpy
    import scipy
    from scipy import optimize, stats
except ImportError:
    print("no SciPy for this Python: nothing compared")
    sys.exit(77)

ALTERNATIVES = ["greater", "less", "two_sided"]


def agree(a, b, what):
    assert math.isclose(a, b, rel_tol=1e-10, abs_tol=1e-13), f"{what}: SciPy {a!r}, count {b!r}"
    return a


def tail(values, observed, alternative):
    """Shares of the arrangements as extreme as the observed one, and as the most extreme one."""
    key = {"greater": lambda x: x, "less": lambda x: -x, "two_sided": abs}[alternative]
    extremes = [key(value) for value in values]
    top = max(extremes)
    p = sum(x >= key(observed) for x in extremes)
    return p / len(extremes), sum(x == top for x in extremes) / len(extremes)


def exactly(values):
    """Decimals as the fractions that a person means, so that equal sums are equal."""
    return [Fraction(str(value)) for value in values]


# Paired differences: per seed one or several.
def sign_flip_cases():
    of_seeds = [
        [[0.12], [0.3]],
        [[0.12], [0.3], [0.07]],
        [[0.12], [-0.3], [0.07]],
        [[0.5], [0.5], [0.0]],
        [[0.0], [0.0]],
        [[0.1], [0.2], [0.3], [-0.1], [0.05]],
        [[1.5], [-2.5], [0.25], [3.0], [0.75], [-0.125], [2.0], [1.0]],
        [[0.1, 0.2, -0.3], [0.4, 0.1, 0.6], [0.2, -0.1]],
    ]
    for seeds, alternative in itertools.product(of_seeds, ALTERNATIVES):
        sums = [sum(exactly(values)) for values in seeds]
        count = sum(len(values) for values in seeds)
        arrangements = [
            sum(s * x for s, x in zip(signs, sums)) / count
            for signs in itertools.product([1, -1], repeat=len(sums))
        ]
        statistic = sum(sums) / count
        p, minimum = tail(arrangements, statistic, alternative)
        if all(len(values) == 1 for values in seeds):
            by_scipy = stats.permutation_test(
                (numpy.array([float(x) for x in sums]),), numpy.mean, permutation_type="samples",
                n_resamples=numpy.inf, alternative=alternative.replace("_", "-"))
            p = agree(by_scipy.pvalue, p, f"sign flip {seeds} {alternative}")
        yield {"seeds": seeds, "alternative": alternative, "statistic": float(statistic), "p": p,
               "minimum_p": minimum, "n": len(seeds)}


def permutation_cases():
    samples = [
        ([2.31, 2.29], [2.73, 2.81]),
        ([2.31, 2.29, 2.4], [2.73, 2.81, 2.35]),
        ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        ([1.0, 1.0, 0.0], [0.0, 0.0, 0.0]),
        ([0.5, 0.75, 0.75, 1.0], [0.5, 0.25, 0.75]),
        ([3.1, 2.7, 3.3, 2.9, 3.0], [2.5, 2.9, 2.6, 2.2, 2.8]),
    ]
    for (a, b), alternative in itertools.product(samples, ALTERNATIVES):
        pool = exactly(a + b)
        observed = sum(pool[: len(a)]) / len(a) - sum(pool[len(a):]) / len(b)
        arrangements = []
        for chosen in itertools.combinations(range(len(pool)), len(a)):
            in_a = sum(pool[i] for i in chosen)
            arrangements.append(in_a / len(a) - (sum(pool) - in_a) / len(b))
        p, minimum = tail(arrangements, observed, alternative)

        def difference(x, y, axis, two_sided=alternative == "two_sided"):
            d = numpy.mean(x, axis=axis) - numpy.mean(y, axis=axis)
            return numpy.abs(d) if two_sided else d

        by_scipy = stats.permutation_test(
            (numpy.array(a), numpy.array(b)), difference, n_resamples=numpy.inf, vectorized=True,
            alternative="greater" if alternative == "two_sided" else alternative)
        p = agree(by_scipy.pvalue, p, f"permutation {a} {b} {alternative}")
        if set(a + b) <= {0.0, 1.0} and alternative == "greater":
            table = [[sum(x == v for x in sample) for v in (1, 0)] for sample in (a, b)]
            agree(stats.fisher_exact(table, alternative="greater")[1], p, "Fisher's exact test")
        yield {"a": a, "b": b, "alternative": alternative, "statistic": float(observed), "p": p,
               "minimum_p": minimum, "n": len(pool)}


def page_by_counting(blocks, trend):
    """L, its p and the smallest p, the blocks' orders all written out; L doubled is whole."""
    ranked = [[int(2 * r) for r in stats.rankdata(block)] for block in blocks]
    if trend == "falling":
        ranked = [ranks[::-1] for ranks in ranked]
    observed = sum((j + 1) * r for ranks in ranked for j, r in enumerate(ranks))
    of_sums = {0: 1}
    for ranks in ranked:
        one = {}
        for order in itertools.permutations(ranks):
            value = sum((j + 1) * r for j, r in enumerate(order))
            one[value] = one.get(value, 0) + 1
        both = {}
        for (x, ways), (y, more) in itertools.product(of_sums.items(), one.items()):
            both[x + y] = both.get(x + y, 0) + ways * more
        of_sums = both
    total = sum(of_sums.values())
    p = Fraction(sum(ways for value, ways in of_sums.items() if value >= observed), total)
    return observed / 2, float(p), float(Fraction(of_sums[max(of_sums)], total))


def page_cases():
    inf = math.inf
    data = [
        [[3e-2, 1e-2, 3e-3]],
        [[3e-2, 1e-2, 3e-3], [1e-1, 3e-2, 1e-2]],
        [[1, 2, 3, 4], [1, 2, 3, 4]],
        [[2, 1, 4, 3], [1, 2, 3, 4], [1, 3, 2, 4]],
        [[4, 3, 2, 1], [4, 2, 3, 1], [3, 4, 2, 1]],
        [[1, 2, 3, 4, 5, 6, 7], [2, 1, 3, 5, 4, 7, 6], [1, 3, 2, 4, 6, 5, 7], [7, 1, 2, 3, 4, 5, 6],
         [1, 2, 3, 4, 5, 7, 6]],
        [[0.1, 0.1, 0.03, 0.03], [0.1, 0.03, 0.03, 0.03]],
        [[0.1, 0.1, 0.1, 0.1], [0.1, 0.03, 0.03, 0.01]],
        [[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]],
        [[inf, 0.3, 0.1, 0.1], [inf, inf, 0.3, 0.1], [0.3, 0.3, 0.3, 0.1]],
        [[1, 2, 2, 3, 3, 3, 4], [1, 1, 1, 2, 2, 2, 2], [4, 3, 2, 1, 1, 2, 3]],
    ]
    for blocks, trend in itertools.product(data, ["rising", "falling"]):
        statistic, p, minimum = page_by_counting(blocks, trend)
        tied = any(len(set(block)) < len(block) for block in blocks)
        if not tied and len(blocks) > 1:
            order = blocks if trend == "rising" else [block[::-1] for block in blocks]
            by_scipy = stats.page_trend_test(order, method="exact")
            assert by_scipy.statistic == statistic
            p = agree(by_scipy.pvalue, p, f"Page {blocks} {trend}")
        yield {"blocks": [["inf" if v == inf else float(v) for v in b] for b in blocks],
               "trend": trend, "statistic": statistic, "p": p, "minimum_p": minimum,
               "n": len(blocks)}


def jonckheere(groups):
    pairs = itertools.combinations(groups, 2)
    return sum(2 * (y > x) + (y == x) for early, late in pairs for x in early for y in late)


def assignments(indices, sizes):
    if not sizes:
        yield []
        return
    for chosen in itertools.combinations(indices, sizes[0]):
        rest = [i for i in indices if i not in chosen]
        for others in assignments(rest, sizes[1:]):
            yield [chosen, *others]


def jonckheere_cases():
    data = [
        [[1, 2], [3, 4], [5, 6]],
        [[1, 2], [2, 3], [3, 3]],
        [[2, 5], [1, 6], [3, 4]],
        [[1, 4], [2, 3], [5, 5], [6, 8]],
        [[1.0, 2.0, 2.0], [2.0, 3.0, 3.0], [3.0, 4.0, 2.0]],
        [[1, 2, 3], [4, 5, 6, 7]],
        [[7, 7, 7], [7, 7, 7]],
        [[1, 1, 2], [2], [1, 3, 3, 4]],
    ]
    for groups, trend in itertools.product(data, ["rising", "falling"]):
        order = groups if trend == "rising" else groups[::-1]
        pool = [x for group in order for x in group]
        observed = jonckheere(order)
        values = [jonckheere([[pool[i] for i in part] for part in parts])
                  for parts in assignments(range(len(pool)), [len(g) for g in order])]
        p, minimum = tail(values, observed, "greater")
        if len(order) == 2 and len(set(pool)) == len(pool):
            by_scipy = stats.mannwhitneyu(order[1], order[0], alternative="greater", method="exact")
            p = agree(by_scipy.pvalue, p, f"Mann-Whitney {order}")
        yield {"groups": [[float(x) for x in g] for g in groups], "trend": trend,
               "statistic": observed / 2, "p": p, "minimum_p": minimum, "n": len(pool)}


def tost_cases():
    data = [([0.01, 0.02], -0.05, 0.05), ([0.012, 0.015, 0.009], -0.05, 0.05),
            ([0.03, -0.04, 0.06], -0.1, 0.05), ([0.2, 0.25, 0.22], -0.1, 0.05),
            ([0.01, -0.01, 0.02, 0.0, 0.01], -0.02, 0.03)]
    for values, low, high in data:
        low_side = stats.ttest_1samp(values, low, alternative="greater")
        high_side = stats.ttest_1samp(values, high, alternative="less")
        sd, mean = numpy.std(values, ddof=1), numpy.mean(values)
        interval = stats.t.interval(0.95, len(values) - 1, mean, sd / math.sqrt(len(values)))
        # The deviation at which p is just .05, found by trial.
        def excess(s):
            se = s / math.sqrt(len(values))
            sides = [stats.t.sf((mean - low) / se, len(values) - 1),
                     stats.t.cdf((mean - high) / se, len(values) - 1)]
            return max(sides) - 0.05
        needed = optimize.brentq(excess, 1e-9, 10, xtol=1e-15, rtol=1e-14) if low < mean < high else 0.0
        yield {"values": values, "low": low, "high": high, "n": len(values), "mean": float(mean),
               "sd": float(sd), "p_low": float(low_side.pvalue), "p_high": float(high_side.pvalue),
               "half_width_95": float(interval[1] - mean), "sd_needed_05": needed}


def holm_cases():
    for p in [[0.01, 0.04, 0.03], [0.5, 0.5], [0.25, 0.05, 1.0], [0.02], [0.02, 0.02, 0.02, 0.9]]:
        # From the definition: reject step by step; the adjusted p is the smallest level that rejects.
        adjusted = []
        for i, mine in enumerate(p):
            before = [q for j, q in enumerate(p) if (q, j) <= (mine, i)]
            ranked = sorted(before)
            adjusted.append(min(1.0, max((len(p) - r) * q for r, q in enumerate(ranked))))
        yield {"p": p, "adjusted": adjusted}


def failure_cases():
    for failures, n in [(0, 2), (0, 3), (0, 5), (1, 3), (2, 3), (3, 3), (1, 1), (4, 20), (0, 1)]:
        test = stats.binomtest(failures, n, alternative="less")
        bound = test.proportion_ci(confidence_level=0.95, method="exact").high
        yield {"failures": failures, "n": n, "upper_95": float(bound)}


def slope_cases():
    data = [
        [(2, 0.03, 0.1), (4, 0.01, 0.03)],
        [(2, 0.1, 0.3), (4, 0.03, 0.1), (8, 0.03, 0.1), (12, 0.01, 0.03)],
        [(2, 0.1, 0.3), (4, 0.03, 0.1), (8, 0.01, 0.03)],
        [(1, 0.3, 1.0), (2, 0.1, 0.3), (3, 0.1, 0.3), (4, 0.03, 0.1), (6, 0.03, 0.1), (8, 0.01, 0.03),
         (12, 0.01, 0.03)],
        [(2, 0.1, 0.3), (2, 0.03, 0.1), (8, 0.03, 0.1), (8, 0.01, 0.03)],
    ]
    for points in data:
        depth = numpy.log2([d for d, _, _ in points])
        # Every corner of the box, and points inside it, which must not reach further.
        slopes = [numpy.polyfit(depth, numpy.log10(corner), 1)[0]
                  for corner in itertools.product(*[(low, high) for _, low, high in points])]
        inside = [numpy.polyfit(depth, numpy.log10([math.sqrt(low * high) for _, low, high in points]), 1)[0]]
        assert min(slopes) <= min(inside) and max(inside) <= max(slopes)
        yield {"points": [list(point) for point in points], "min": float(min(slopes)),
               "max": float(max(slopes))}


def compute():
    return {
        "sign_flip": list(sign_flip_cases()),
        "permutation_test": list(permutation_cases()),
        "page_l": list(page_cases()),
        "jonckheere_terpstra": list(jonckheere_cases()),
        "tost": list(tost_cases()),
        "holm": list(holm_cases()),
        "failure_upper_bound": list(failure_cases()),
        "threshold_slope": list(slope_cases()),
    }


def differences(a, b, path=""):
    """Where two JSON values differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{path}[{i}]")
    elif isinstance(a, float) and isinstance(b, (int, float)):
        if not math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-13):
            yield f"{path}: {a!r} in the file, {b!r} now"
    elif a != b:
        yield f"{path}: {a!r} in the file, {b!r} now"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file")
    args = parser.parse_args()
    values = json.loads(json.dumps(compute()))
    if args.check:
        with open(args.file, encoding="utf-8") as file:
            found = list(differences(json.load(file), values))
        cases = sum(len(group) for group in values.values())
        print("\n".join(found[:20]) or f"{cases} cases agree with SciPy {scipy.__version__}")
        return 1 if found else 0
    with open(args.file, "w", encoding="utf-8") as file:
        groups = [f'"{name}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]"
                  for name, cases in values.items()]
        file.write("{\n" + ",\n".join(groups) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
