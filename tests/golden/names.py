"""The only place with the program's names of files, columns and keys.

Golden results have their own names. If the program renames a file, a column or a key, change its name here: the
golden results stay as they are, and `scripts/golden compare` shows that only the name changed.
"""

# Golden table: the program's file.
FILES = {"beats": "beats.csv", "episodes": "episodes.csv", "templates": "templates.csv", "quality": "quality.csv",
         "abnormal": "abnormal.csv"}
SUMMARY_FILE = "summary.json"
ANNOTATIONS = "*.vae"  # the WFDB annotation file
ARRAYS = "report/*.npy"

# The program's column: golden column, in any table. A column that is not listed here keeps its name.
COLUMNS = {"beat_class": "class", "kept": "accepted"}

# Columns that are stored row by row, in this order, if a result has them. A digest is stored of every column.
SHOWN = {
    "beats": ("sample", "class", "accepted", "anomalous", "template", "quality", "score"),
    "episodes": ("label", "start_sample", "end_sample", "beats", "rate_bpm", "confidence", "quality"),
    "templates": ("template", "class", "beats", "width_ms", "paced", "first_s", "last_s"),
    "quality": ("lead", "quality", "from_s", "to_s"),
}
REQUIRED = {"beats": ("sample",), "episodes": ("label", "start_sample", "end_sample"),
            "templates": ("template", "beats"), "quality": SHOWN["quality"]}
ROUNDED = {"score", "confidence", "first_s", "last_s", "from_s", "to_s"}  # see rounded

# The program's key of summary.json: golden key, at any depth.
KEYS = {"kinds": "classes", "kept": "accepted"}

# Parts of summary.json that differ between runs or builds. They are ignored.
VOLATILE = ("run", "versions", "input.path", "input.files", "input.bytes", "input.sha256")

# Parts of which only a digest is stored: the hours repeat the findings, and the sizes are those of the page.
DIGEST_ONLY = ("hours", "report")
MESSAGES = "advisories"  # stored one a line


def golden_column(name):
    return COLUMNS.get(name, name)


def golden_key(name):
    return KEYS.get(name, name)


def is_within(path, parts):
    """Returns whether a path such as input.leads[0].name is one of these parts or lies in one of them."""
    return any(path == part or path.startswith((part + ".", part + "[")) for part in parts)


def rounded(text):
    """Returns a number of the program with two decimals, or with one from 10 on; other text unchanged."""
    try:
        value = float(text)
    except ValueError:
        return text
    result = f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return result.removeprefix("-") if float(result) == 0 else result
