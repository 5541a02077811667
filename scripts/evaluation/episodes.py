"""Compares stretches of a rhythm with reference stretches, by the rules of WFDB's epicmp."""
from dataclasses import dataclass, fields


@dataclass
class Figures:
    """Counts and seconds of one recording, or of several added up."""
    found: int = 0          # reference stretches that overlap a test stretch
    reference: int = 0      # reference stretches
    right: int = 0          # test stretches that overlap a reference stretch
    test: int = 0           # test stretches
    found_s: float = 0      # seconds of the reference stretches that lie in test stretches
    reference_s: float = 0
    right_s: float = 0      # seconds of the test stretches that lie in reference stretches
    test_s: float = 0
    recording_s: float = 0

    def __add__(self, other):
        return Figures(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def ratios(self):
        """Episode sensitivity and positive predictivity, then those by duration; None where there is nothing."""
        def share(part, whole):
            return part / whole if whole > 0 else None
        return (share(self.found, self.reference), share(self.right, self.test),
                share(self.found_s, self.reference_s), share(self.right_s, self.test_s))


def joined(stretches):
    """The stretches in order, those that touch as one."""
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
    """The parts of a stretch outside of others."""
    parts = [tuple(stretch)]
    for start, end in others:
        parts = [part for a, b in parts for part in ((a, min(b, start)), (max(a, end), b)) if part[1] > part[0]]
    return parts


def compare(reference, test, recording_s, left_out=()):
    """Any overlap is a match. Of the test stretches, what lies in `left_out` is not judged."""
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
