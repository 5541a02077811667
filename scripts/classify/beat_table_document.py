#!/usr/bin/env python3
"""Generates docs/beat_table.md from the features.json of a result: scripts/classify/beat_table_document.py FILE >
docs/..."""
import json
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


def main():
    columns = json.loads(Path(sys.argv[1]).read_text())["columns"]
    rows = [f"| `{column['name']}` | {column['unit']} | {column['text']} |" for column in columns]
    print(HEAD + "\n".join(rows))


if __name__ == "__main__":
    main()
