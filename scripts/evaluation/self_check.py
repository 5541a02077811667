"""Compares this evaluation with the program's own, `beatscan evaluate`. Both should agree."""
import math

from evaluation.detection import counts_of
from evaluation.ranking import KINDS, MEASURES, TOLERANCE_MS, RecordScores

PLACES = {"anomaly": "score", "baseline": "baseline_score"}


def ours(record, beats):
    """Returns our figures in the form of `beatscan evaluate`."""
    figures = RecordScores(record, beats).figures
    result = {"detection": counts_of(record, beats["sample"])[TOLERANCE_MS, False].as_json()}
    for name, column in PLACES.items():
        if column in beats:
            result[name] = {kind: {m: figures[column, kind, m] for m in MEASURES} for kind in KINDS}
    return result


def differences(place, mine, theirs):
    """Returns a line for each difference of two nested dictionaries with equal keys. Numbers may differ by rounding."""
    if isinstance(mine, dict):
        return [line for key in mine for line in differences(f"{place} {key}", mine[key], theirs[key])]
    if mine is None or theirs is None:
        return [] if mine is theirs else [f"{place}: {mine}, beatscan evaluate {theirs}"]
    return [] if math.isclose(mine, theirs, abs_tol=1e-12, rel_tol=1e-9) else [
        f"{place}: {mine}, beatscan evaluate {theirs}"]


def self_check(inputs, program, seed, beats, failed):
    """Prints and returns a line for each difference."""
    lines, compared = [], [record for record in inputs.records if record.name not in failed]
    for record in compared:
        theirs = program.evaluate(inputs.result_of(record, seed), inputs.truth_of(record))
        mine = ours(record, beats[record.name])
        if "baseline" not in theirs:  # unknown to older programs
            mine.pop("baseline", None)
        lines += differences(record.name, mine, theirs)
    print("\n".join(lines) or f"self-check: the same as `beatscan evaluate` on {len(compared)} records")
    return lines
