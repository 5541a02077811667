"""The golden results of one recording, and their text form, which is stored in tests/golden/expected/NAME.txt.

A file has sections: `[beats]`, `[episodes]`, `[templates]` and `[quality]` are tables with a line of column names,
`[summary]` has lines `key = value`, `[messages]` lines `- text`, and `[digests]` lines `table.column digest`, with
`table.row_count`. Lines that begin with # are comments.
"""
import hashlib
from dataclasses import dataclass, field

EMPTY = "-"  # stands for an empty cell
ALIGNED = 7  # least width of a table's first column
ROW_COUNT = "row_count"


@dataclass
class Table:
    columns: list
    rows: list = field(default_factory=list)  # dicts of texts

    def column(self, name):
        return [row[name] for row in self.rows]


@dataclass
class Golden:
    name: str
    rate_hz: int
    recording: str = ""  # digest of the recording's files
    tables: dict = field(default_factory=dict)  # {name: Table}, without tables that the result lacks
    summary: dict = field(default_factory=dict)  # {key: text}
    messages: list = field(default_factory=list)
    digests: dict = field(default_factory=dict)  # {table: {column or ROW_COUNT: text}, "summary": ..., "files": ...}

    def rows(self, table):
        return self.tables[table].rows if table in self.tables else []


def digest(content):
    """Returns 12 hexadecimal digits that stand for bytes or text."""
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()[:12]


def to_text(golden, description):
    """Returns the text form."""
    lines = [f"# {description}", f"# Written by scripts/golden update {golden.name}", f"rate_hz {golden.rate_hz}",
             f"recording {golden.recording}"]
    for name, table in golden.tables.items():
        lines += ["", f"[{name}]", " ".join(table.columns)]
        for row in table.rows:
            first, *others = [row[column] or EMPTY for column in table.columns]
            lines.append(" ".join([f"{first:>{ALIGNED}}", *others]))
    lines += ["", "[summary]", *(f"{key} = {value}" for key, value in golden.summary.items())]
    lines += ["", "[messages]", *(f"- {message}" for message in golden.messages)]
    lines += ["", "[digests]"]
    for group, values in golden.digests.items():
        lines += [f"{group}.{name} {value}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


def from_text(name, text):
    """Parses the text form and returns the Golden. Raises ValueError, with the line, if it is invalid."""
    golden, section = Golden(name, 0), ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            try:
                add_line(golden, section, line)
            except (KeyError, ValueError) as error:
                raise ValueError(f"line {number} is not in the form of a golden result: {line[:60]}") from error
    return golden


def add_line(golden, section, line):
    """Adds the content of a line in a section."""
    if not section:
        key, value = line.split()
        setattr(golden, key, {"rate_hz": int, "recording": str}[key](value))
    elif section == "summary":
        key, value = line.split(" = ", 1)
        golden.summary[key] = value
    elif section == "messages":
        golden.messages.append(line.removeprefix("- "))
    elif section == "digests":
        key, value = line.split()
        group, name = key.split(".", 1)
        golden.digests.setdefault(group, {})[name] = value
    elif section not in golden.tables:
        golden.tables[section] = Table(line.split())
    else:
        table = golden.tables[section]
        cells = ["" if cell == EMPTY else cell for cell in line.split()]
        table.rows.append(dict(zip(table.columns, cells, strict=True)))
