"""Trend tests by counting every arrangement, in whole numbers."""

import functools
import itertools
from fractions import Fraction


def twice_mid_ranks(values):
    ordered = sorted(values)
    return [ordered.index(v) + 1 + len(ordered) - ordered[::-1].index(v) for v in values]


@functools.lru_cache(maxsize=None)
def orders(ranks):
    """Value of twice L -> how many orders of these ranks have it."""
    counts = {}
    for order in itertools.permutations(ranks):
        value = sum(j * rank for j, rank in enumerate(order, 1))
        counts[value] = counts.get(value, 0) + 1
    return counts


def page_l(blocks, trend):
    """(L, p, smallest p) of complete blocks."""
    observed, sums = 0, {0: 1}
    for block in blocks:
        ranks = twice_mid_ranks(block if trend == "rising" else block[::-1])
        observed += sum(j * rank for j, rank in enumerate(ranks, 1))
        one = orders(tuple(sorted(ranks)))
        both = {}
        for (a, n), (b, m) in itertools.product(sums.items(), one.items()):
            both[a + b] = both.get(a + b, 0) + n * m
        sums = both
    total = sum(sums.values())
    p = Fraction(sum(n for value, n in sums.items() if value >= observed), total)
    return observed / 2, float(p), float(Fraction(sums[max(sums)], total))


def twice_j(groups):
    return sum(2 * (y > x) + (y == x) for early, late in itertools.combinations(groups, 2)
               for x in early for y in late)


def jonckheere_terpstra(groups, trend):
    """(J, p, smallest p): the values are dealt out class by class of equal ones."""
    groups = [tuple(group) for group in (groups if trend == "rising" else groups[::-1]) if group]
    pool = sorted(value for group in groups for value in group)
    table = {(tuple(0 for _ in groups), 0): 1}  # how many each group has, twice J -> ways
    for _, equal in itertools.groupby(pool):
        table = dealt(table, len(list(equal)), [len(group) for group in groups])
    ways = {}
    for (_, value), count in table.items():
        ways[value] = ways.get(value, 0) + count
    total, observed = sum(ways.values()), twice_j(groups)
    p = Fraction(sum(count for value, count in ways.items() if value >= observed), total)
    return observed / 2, float(p), float(Fraction(ways[max(ways)], total))


def dealt(table, equal, sizes):
    """One after the other; J of ties among themselves is half a pair, whoever came first."""
    marked = {(filled, tuple(0 for _ in sizes), value): ways for (filled, value), ways in table.items()}
    for _ in range(equal):
        following = {}
        for (filled, same, value), ways in marked.items():
            for g, size in enumerate(sizes):
                if filled[g] + same[g] == size:
                    continue
                gain = 2 * sum(filled[:g]) + sum(same[:g]) + sum(same[g + 1:])
                more = same[:g] + (same[g] + 1,) + same[g + 1:]
                key = (filled, more, value + gain)
                following[key] = following.get(key, 0) + ways
        marked = following
    found = {}
    for (filled, same, value), ways in marked.items():
        key = (tuple(a + b for a, b in zip(filled, same)), value)
        found[key] = found.get(key, 0) + ways
    return found


def holm(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, so_far = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = so_far
    return adjusted
