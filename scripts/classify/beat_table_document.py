#!/usr/bin/env python3
"""Generates docs/beat_table.md from the features.json of a result: scripts/classify/beat_table_document.py FILE >
docs/..."""
import json
import re
import sys
from pathlib import Path

HEAD = """# The beat table

`beatscan run --features` writes the features of every detected beat: `features.npy`, float32, one
row a beat in the order of `beats.csv`, and `features.json` with the names of its columns. A value
that does not exist is NaN, such as the PR interval of a beat without a P wave. No column depends
on beat classes.

- The **reference RR interval** is that of accepted beats: neither premature nor excluded.
- The **dominant beat** is the median of beats of the largest template that are neither premature
  nor late.
- The **local beat** is the median of such beats among the 24 on either side of 16 beats.
- Shapes are measured in each lead. A column is their mean over leads, weighted by
  (noise + 0.005)<sup>-1.5</sup>, and `_max` is the largest value over leads.

`scripts/classify/beat_table_document.py` makes this page from `features.json`.

| column | unit | meaning |
|---|---|---|
"""


def merged(texts):
    """Returns one text with all values of the only number in which the texts differ; None if they differ otherwise."""
    parts = [re.split(r"(\d+)", text) for text in texts]
    if len({len(part) for part in parts}) != 1:
        return None
    places = [i for i, values in enumerate(zip(*parts)) if len(set(values)) > 1]
    if len(places) > 1 or places and places[0] % 2 == 0:
        return None
    return "".join(", ".join(part[i] for part in parts) if i in places else text for i, text in enumerate(parts[0]))


def main():
    columns = json.loads(Path(sys.argv[1]).read_text())["columns"]
    lines = [HEAD.rstrip("\n")]
    rows = []  # [names, unit, texts]
    for name, unit, text in ((column["name"], column["unit"], column["text"]) for column in columns):
        is_max = name.endswith("_max") and text == "its largest value over leads"  # as the head says
        if is_max or rows and rows[-1][1] == unit and merged([*rows[-1][2], text]):
            rows[-1][0].append(name)
            rows[-1][2].extend([] if is_max else [text])
        else:
            rows.append([[name], unit, [text]])
    for names, unit, texts in rows:
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {unit} | {merged(texts).replace('|', chr(92) + '|')} |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
