"""Pairs corresponding items of two results, so that one additional or missing beat does not make all later ones
differ."""
from collections import Counter

TOLERANCE_S = 0.150  # within it two beats count as one, as in ANSI/AAMI EC57


def pair_beats(expected, found, rate_hz):
    """Pairs beats by their samples, nearest first. Returns (pairs, gone, new), which are row numbers."""
    tolerance = TOLERANCE_S * rate_hz
    candidates, start = [], 0
    for number, sample in enumerate(expected):
        while start < len(found) and found[start] < sample - tolerance:
            start += 1
        other = start
        while other < len(found) and found[other] <= sample + tolerance:
            candidates.append((abs(found[other] - sample), number, other))
            other += 1
    return take_pairs(candidates, len(expected), len(found))


def pair_spans(expected, found, keys_expected, keys_found, places_expected=None, places_found=None):
    """Pairs spans (start, end) that overlap: those with equal keys first, then those with the most time in common.

    Spans with different keys need more than half of their time in common. Spans of different places, such as leads, are
    not paired. Returns (pairs, gone, new).
    """
    candidates = []
    for number, (start, end) in enumerate(expected):
        for other, (other_start, other_end) in enumerate(found):
            common = min(end, other_end) - max(start, other_start)
            share = common / max(max(end, other_end) - min(start, other_start), 1e-9)
            same_key = keys_expected[number] == keys_found[other]
            same_place = places_expected is None or places_expected[number] == places_found[other]
            if same_place and common > 0 and (same_key or share > 0.5):
                candidates.append(((not same_key, -share), number, other))
    return take_pairs(candidates, len(expected), len(found))


def pair_templates(expected, found, beat_pairs):
    """Pairs templates by the number of beats that they share. Returns {expected template: found template}.

    `expected` and `found` are the template of each beat; `beat_pairs` are the pairs of corresponding beats.
    """
    shared = Counter((expected[a], found[b]) for a, b in beat_pairs if expected[a] and found[b])
    pairs, used = {}, set()
    for (old, new), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if old not in pairs and new not in used:
            pairs[old] = new
            used.add(new)
    return pairs


def take_pairs(candidates, count_expected, count_found):
    """Takes candidates (order, number, other) in their order, each number once. Returns (pairs, gone, new)."""
    other_of, used = {}, set()
    for _, number, other in sorted(candidates):
        if number not in other_of and other not in used:
            other_of[number] = other
            used.add(other)
    return (sorted(other_of.items()), [number for number in range(count_expected) if number not in other_of],
            [other for other in range(count_found) if other not in used])
