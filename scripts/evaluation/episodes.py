"""Compares rhythm episodes with reference episodes, by the rules of WFDB's epicmp."""
from dataclasses import dataclass, fields


@dataclass
class Figures:
    """Counts and seconds of one recording, or of several added up."""
    found: int = 0          # reference episodes that overlap a test episode
    reference: int = 0      # reference episodes
    right: int = 0          # test episodes that overlap a reference episode
    test: int = 0           # test episodes
    found_s: float = 0      # seconds of the reference episodes covered by test episodes
    reference_s: float = 0
    right_s: float = 0      # seconds of the test episodes covered by reference episodes
    test_s: float = 0
    recording_s: float = 0

    def __add__(self, other):
        return Figures(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def ratios(self):
        """Sensitivity and positive predictive value by episode, then those by duration; None if undefined."""
        def share(part, whole):
            return part / whole if whole > 0 else None
        return (share(self.found, self.reference), share(self.right, self.test),
                share(self.found_s, self.reference_s), share(self.right_s, self.test_s))


def joined(stretches):
    """Returns the episodes in order, touching ones merged."""
    result = []
    for start, end in sorted(stretches):
        if end <= start:
            continue
        if result and start <= result[-1][1]:
            result[-1][1] = max(end, result[-1][1])
        else:
            result.append([start, end])
    return result


def overlap(stretch, others):
    return sum(max(0.0, min(stretch[1], end) - max(stretch[0], start)) for start, end in others)


def without(stretch, others):
    """Returns the parts of an episode outside of others."""
    parts = [tuple(stretch)]
    for start, end in others:
        parts = [part for a, b in parts for part in ((a, min(b, start)), (max(a, end), b)) if part[1] > part[0]]
    return parts


def compare(reference, test, recording_s, left_out=()):
    """Any overlap is a match. The parts of test episodes within `left_out` are not evaluated."""
    figures = Figures(reference=len(reference), recording_s=recording_s)
    for stretch in reference:
        seconds = overlap(stretch, test)
        figures.found += seconds > 0
        figures.found_s += seconds
        figures.reference_s += stretch[1] - stretch[0]
    for stretch in test:
        parts = without(stretch, left_out)
        seconds = sum(overlap(part, reference) for part in parts)
        if parts:
            figures.test += 1
            figures.right += seconds > 0
            figures.right_s += seconds
            figures.test_s += sum(end - start for start, end in parts)
    return figures


def mean_ratios(figures):
    """The mean of each ratio over the recordings that have it."""
    rows = [one.ratios() for one in figures]
    columns = [[row[i] for row in rows if row[i] is not None] for i in range(4)]
    return tuple(sum(column) / len(column) if column else None for column in columns)
