"""Prints the changes of a recording in groups, and the total over all recordings."""
from collections import Counter

from golden.differences import plural

# Kind of change: its text in the total, singular and plural.
TOTALS = {
    "failed": ("recording failed", "recordings failed"),
    "no result": ("recording without a golden result", "recordings without a golden result"),
    "no recording": ("golden result without a recording", "golden results without a recording"),
    "recording": ("recording changed itself", "recordings changed themselves"),
    "table": ("table or column new or gone", "tables or columns new or gone"),
    "class": ("beat changed class", "beats changed class"),
    "beat new": ("beat new", "beats new"),
    "beat gone": ("beat gone", "beats gone"),
    "beat moved": ("beat moved", "beats moved"),
    "beat": ("beat changed otherwise", "beats changed otherwise"),
    "score": ("beat changed in score alone", "beats changed in score alone"),
    "beat template": ("beat moved to another template", "beats moved to another template"),
    "episode new": ("episode new", "episodes new"),
    "episode gone": ("episode gone", "episodes gone"),
    "episode label": ("episode changed label", "episodes changed label"),
    "episode moved": ("episode moved", "episodes moved"),
    "episode": ("episode changed otherwise", "episodes changed otherwise"),
    "template new": ("template new", "templates new"),
    "template gone": ("template gone", "templates gone"),
    "template": ("template changed", "templates changed"),
    "stretch new": ("stretch of poor signal new", "stretches of poor signal new"),
    "stretch gone": ("stretch of poor signal gone", "stretches of poor signal gone"),
    "stretch": ("stretch of poor signal changed", "stretches of poor signal changed"),
    "summary": ("key of the summary changed", "keys of the summary changed"),
    "message new": ("message new", "messages new"),
    "message gone": ("message gone", "messages gone"),
    "digest": ("digest changed", "digests changed"),
}
MOST_DETAILS = 6


def print_lines(name, changes, most_lines):
    """Prints the changes of a recording: at most `most_lines` of each kind, and the number of the others."""
    for kind in TOTALS:
        of_kind = [change for change in changes if change.kind == kind]
        for change in of_kind[:most_lines]:
            print(f"{name}: {change.line}", flush=True)
        if of_kind[most_lines:]:
            print(f"{name}: ... and {total_of(kind, of_kind[most_lines:])}")


def total_of(kind, changes):
    """Returns a text such as `17 beats changed class (12 N->S, 5 V->N)`."""
    count = sum(change.count for change in changes)
    details = Counter(change.detail for change in changes if change.detail).most_common()
    listed = [f"{number} {detail}" for detail, number in details[:MOST_DETAILS]]
    listed += ["..."] if len(details) > MOST_DETAILS else []
    return f"{count} {TOTALS[kind][count != 1]}" + (f" ({', '.join(listed)})" if listed else "")


def total_line(by_recording):
    """Returns the last line, from {recording's name: changes}."""
    changes = [change for found in by_recording.values() for change in found]
    differing = sum(1 for found in by_recording.values() if found)
    head = f"golden: {plural(len(by_recording), 'recording')}, "
    if not differing:
        return head + "equal"
    kinds = {kind: [change for change in changes if change.kind == kind] for kind in TOTALS}
    verb = "differs" if differing == 1 else "differ"
    return head + f"{differing} {verb}: " + ", ".join(total_of(kind, found) for kind, found in kinds.items() if found)
