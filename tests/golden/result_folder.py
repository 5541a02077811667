"""Reads the Golden from a result folder of the program."""
import csv
import json
from pathlib import Path

from golden import names
from golden.golden_file import ROW_COUNT, Golden, Table, digest

LONGEST_LIST = 8  # a longer list of numbers is stored as its length


def read(name, rate_hz, folder):
    """Returns the Golden of a result. A file that the command does not write is omitted.

    Raises ValueError if a table lacks a column that is compared row by row.
    """
    golden, folder = Golden(name, rate_hz), Path(folder)
    for table, file in names.FILES.items():
        if (folder / file).is_file():
            read_table(golden, table, folder / file)
    read_summary(golden, folder / names.SUMMARY_FILE)
    annotations = {"annotations": digest(path.read_bytes()) for path in folder.glob(names.ANNOTATIONS)}
    arrays = {path.stem: digest(path.read_bytes()) for path in sorted(folder.glob(names.ARRAYS))}
    golden.digests["files"] = annotations | arrays
    return golden


def read_table(golden, name, path):
    """Adds the rows of a CSV file in stored form, and the digest of each of its columns."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = [names.golden_column(column) for column in header]
    missing = [column for column in names.REQUIRED.get(name, ()) if column not in columns]
    if missing:
        raise ValueError(f"{path.name} has no column {', '.join(missing)}; was one renamed? See tests/golden/names.py")
    cells = dict(zip(columns, zip(*rows))) if rows else {column: () for column in columns}
    golden.digests[name] = {ROW_COUNT: str(len(rows))}
    golden.digests[name] |= {column: digest("\n".join(cells[column])) for column in columns}
    if name in names.SHOWN:
        shown_columns = [column for column in names.SHOWN[name] if column in columns]
        texts = [[names.rounded(cell) for cell in cells[column]] if column in names.ROUNDED else cells[column]
                 for column in shown_columns]
        golden.tables[name] = Table(shown_columns, [dict(zip(shown_columns, row)) for row in zip(*texts)])


def leaves(value, path=""):
    """Yields (path, value) of the values in JSON. A list is one value unless it holds objects."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from leaves(child, f"{path}.{names.golden_key(key)}" if path else names.golden_key(key))
    elif isinstance(value, list) and any(isinstance(child, dict) for child in value):
        for number, child in enumerate(value):
            yield from leaves(child, f"{path}[{number}]")
    else:
        yield path, value


def shown(value):
    """Returns a value of JSON in stored form: floats with four digits, long lists as their length."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        if len(value) > LONGEST_LIST or any(isinstance(child, list) for child in value):
            return f"[{len(value)} values]"
        return "[" + ", ".join(map(shown, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def read_summary(golden, path):
    """Adds keys and messages, and the digest of each top-level part at full precision."""
    content = json.loads(path.read_text(encoding="utf-8"))
    golden.messages = [f"{each['id']} {each['severity']}: {' '.join(each['message'].split())}"
                       for each in content.pop(names.MESSAGES, [])]
    found = [(key, value) for key, value in leaves(content) if not names.is_within(key, names.VOLATILE)]
    golden.summary = {key: shown(value) for key, value in found if not names.is_within(key, names.DIGEST_ONLY)}
    parts = {}
    for key, value in sorted(found, key=lambda leaf: leaf[0]):
        parts.setdefault(key.partition(".")[0].partition("[")[0], []).append(f"{key}={json.dumps(value)}")
    golden.digests["summary"] = {part: digest("\n".join(lines)) for part, lines in parts.items()}
