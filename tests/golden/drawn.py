"""Compares the beats of a result with those that were drawn into the recording.

Golden results hold the program's behaviour, not the truth. These counts complement it, so that the review of an
update shows whether the changed decisions are closer to the truth.
"""
from collections import Counter

from golden import pairing
from golden.recordings import drawn_beats


def counts(recording, golden):
    """Returns {key: text}: beats by drawn and by detected class, missed and false beats."""
    if "beats" not in golden.tables or not (drawn := drawn_beats(recording)):
        return {}
    rows = golden.rows("beats")
    detected = [row.get("class") or "found" for row in rows]
    pairs, missed, false = pairing.pair_beats([sample for sample, _ in drawn], [int(row["sample"]) for row in rows],
                                              recording.rate_hz)
    found = Counter(f"drawn.{drawn[a][1]}.{detected[b]}" for a, b in pairs)
    found.update(f"drawn.{drawn[number][1]}.missed" for number in missed)
    found.update(f"drawn.false.{detected[number]}" for number in false)
    return {key: str(found[key]) for key in sorted(found)}
