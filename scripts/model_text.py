"""Readable JSON for model files."""
import json


def lines_of(value, indent=0, width=116):
    """Returns indented JSON in which short values stay on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= width or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {lines_of(item, indent + 2)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(inner + lines_of(item, indent + 2) for item in value) + "\n" + " " * indent + "]"
