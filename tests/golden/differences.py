"""Lists the differences between two golden results of a recording. Each line gives a beat or an episode by its time."""
from collections import Counter
from dataclasses import dataclass

from golden import pairing
from golden.golden_file import ROW_COUNT

DECISIONS = {"beats": ("sample", "class", "accepted"), "templates": ("class",)}  # what --decisions compares
MOST_CHARACTERS = 160  # of a message


@dataclass(frozen=True)
class Change:
    kind: str  # a key of report.TOTALS
    line: str
    detail: str = ""  # counted in the total, such as N->S
    count: int = 1


def changes(expected, found, decisions_only=False):
    """Returns the Changes from the expected Golden to the found one.

    With `decisions_only` these are samples, classes and acceptance of beats, labels and bounds of episodes, and the
    classes of templates. Scores, poor signal, the summary, messages and digests are ignored.
    """
    result = []
    if expected.recording != found.recording:
        result.append(Change("recording", f"the recording itself changed, digest {expected.recording} -> "
                             f"{found.recording}; the changes below may come from that"))
    result += columns(expected, found)
    template_of = {}
    if "beats" in expected.tables and "beats" in found.tables:
        samples = [[int(row["sample"]) for row in golden.rows("beats")] for golden in (expected, found)]
        pairs, gone, new = pairing.pair_beats(*samples, expected.rate_hz)
        template_of = paired_templates(expected, found, pairs)
        result += common_beats(expected, found, pairs, template_of, decisions_only)
        for kind, golden, numbers in (("gone", expected, gone), ("new", found, new)):
            result += [Change(f"beat {kind}", f"{beat_text(golden, golden.rows('beats')[number])} is {kind}")
                       for number in numbers]
    result += episodes(expected, found, decisions_only)
    result += templates(expected, found, template_of, decisions_only)
    for part in () if decisions_only else (stretches, summary, messages, digests):
        result += part(expected, found)
    return result


def columns(expected, found):
    """Yields tables and columns that only one result has."""
    for name in sorted(expected.tables.keys() | found.tables.keys()):
        if name not in found.tables or name not in expected.tables:
            yield Change("table", f"the table {name} is {'gone' if name in expected.tables else 'new'}")
            continue
        before, after = expected.tables[name].columns, found.tables[name].columns
        for column in [*before, *(column for column in after if column not in before)]:
            if column not in before or column not in after:
                yield Change("table", f"the column {column} of {name} is {'gone' if column in before else 'new'}")


# Beats ---------------------------------------------------------------------------------------------------------------

def beat_text(golden, row, values=True):
    """Returns the time of a beat, and its class and score if `values` is true."""
    sample = int(row["sample"])
    place = f"beat at {sample / golden.rate_hz:.3f} s (sample {sample})"
    shown = [row.get("class", ""), f"score {row['score']}" if row.get("score") else ""]
    return place + (", " + ", ".join(filter(None, shown)) + "," if values and any(shown) else "")


def common_beats(expected, found, pairs, template_of, decisions_only):
    """Yields changes of the common beats. One line summarises those whose scores or templates alone changed."""
    scores, moved = [], Counter()
    for a, b in pairs:
        old, new = expected.rows("beats")[a], found.rows("beats")[b]
        texts = {name: f"{old[name]} -> {new[name]}" for name in old if name in new and old[name] != new[name]}
        if "template" in texts and template_of.get(old["template"], "") == new["template"]:
            del texts["template"]  # the template has another number
        if decisions_only:
            texts = {name: text for name, text in texts.items() if name in DECISIONS["beats"]}
        if texts.keys() - {"score", "template"}:
            yield beat_change(expected, old, new, texts)
            continue
        if "score" in texts:
            scores.append((old, new))
        if "template" in texts:
            moved[texts["template"]] += 1
    if scores:
        yield score_change(expected, scores)
    if moved:
        listed = ", ".join(f"{count} {text}" for text, count in moved.most_common(5))
        yield Change("beat template", f"{plural(moved.total(), 'beat')} moved to another template: {listed}",
                     count=moved.total())


def beat_change(golden, old, new, texts):
    """Returns the Change of one beat, of the most important kind: class before position before the rest."""
    parts, kind, detail = [], "beat", ""
    if "sample" in texts:
        distance = int(new["sample"]) - int(old["sample"])
        parts.append(f"moved by {distance:+d} samples ({1000 * distance / golden.rate_hz:+.0f} ms)")
        kind = "beat moved"
    if "class" in texts:
        parts.append(texts["class"])
        kind, detail = "class", texts["class"].replace(" ", "")
    if "accepted" in texts:
        parts.append("accepted" if new["accepted"] == "1" else "rejected")
    if "anomalous" in texts:
        parts.append("anomalous" if new["anomalous"] == "1" else "no longer anomalous")
    parts += [f"{name} {texts[name]}" for name in ("quality", "score", "template") if name in texts]
    return Change(kind, f"{beat_text(golden, old, values=False)}: {', '.join(parts)}", detail)


def score_change(golden, pairs):
    def size(pair):
        before, after = pair[0]["score"], pair[1]["score"]
        return abs(float(before) - float(after)) if before and after else float("inf")

    old, new = max(pairs, key=size)
    return Change("score", f"{plural(len(pairs), 'beat')} changed in score alone, most of all the "
                  f"{beat_text(golden, old, values=False)}: {old['score'] or 'none'} -> {new['score'] or 'none'}",
                  count=len(pairs))


# Episodes, templates, poor signal ------------------------------------------------------------------------------------

def span_text(span):
    return f"{span[0]:.1f}-{span[1]:.1f} s"


def episodes(expected, found, decisions_only):
    def read(golden):
        rows = golden.rows("episodes")
        spans = [(int(row["start_sample"]) / golden.rate_hz, int(row["end_sample"]) / golden.rate_hz) for row in rows]
        return rows, spans, [row["label"] for row in rows]

    (old_rows, old_spans, old_labels), (new_rows, new_spans, new_labels) = read(expected), read(found)
    pairs, gone, new = pairing.pair_spans(old_spans, new_spans, old_labels, new_labels)
    for a, b in pairs:
        before, after = f"episode {old_labels[a]} {span_text(old_spans[a])}", span_text(new_spans[b])
        if old_labels[a] != new_labels[b]:
            yield Change("episode label", f"{before} is now {new_labels[b]} {after}",
                         f"{old_labels[a]}->{new_labels[b]}")
        elif old_spans[a] != new_spans[b]:
            start, end = (late - early for early, late in zip(old_spans[a], new_spans[b]))
            yield Change("episode moved", f"{before} is now {after} (start {start:+.3f} s, end {end:+.3f} s)",
                         old_labels[a])
        elif not decisions_only and (texts := row_changes(old_rows[a], new_rows[b])):
            yield Change("episode", f"{before}: {texts}")
    for number in gone:
        yield Change("episode gone", f"episode {old_labels[number]} {span_text(old_spans[number])} is gone",
                     old_labels[number])
    for number in new:
        yield Change("episode new", f"episode {new_labels[number]} {span_text(new_spans[number])} is new",
                     new_labels[number])


def paired_templates(expected, found, pairs):
    """Returns {expected template: found template} of those that hold the same beats."""
    if any("template" not in golden.tables["beats"].columns for golden in (expected, found)):
        return {}
    return pairing.pair_templates(expected.tables["beats"].column("template"),
                                  found.tables["beats"].column("template"), pairs)


def templates(expected, found, template_of, decisions_only):
    """Yields changes of templates. Those that hold the same beats are compared; their numbers may differ."""
    def text(row):
        return f"template {row['template']} ({row.get('class') or 'no class'}, {plural(int(row['beats']), 'beat')})"

    old, new = ({row["template"]: row for row in golden.rows("templates")} for golden in (expected, found))
    compared = {number: other for number, other in template_of.items() if number in old and other in new}
    for number, row in old.items():
        if number not in compared:
            yield Change("template gone", f"{text(row)} is gone")
            continue
        renumbered = {"template"} if number != compared[number] else set()
        passed_over = row.keys() - DECISIONS["templates"] if decisions_only else renumbered
        if texts := row_changes(row, new[compared[number]], passed_over):
            yield Change("template", f"{text(row)}: {texts}")
    for number, row in new.items():
        if number not in compared.values():
            yield Change("template new", f"{text(row)} is new")


def row_changes(old, new, passed_over=()):
    """Returns the changed cells of a row, as text."""
    return ", ".join(f"{name} {value or 'none'} -> {new[name] or 'none'}" for name, value in old.items()
                     if name in new and new[name] != value and name not in passed_over)


def stretches(expected, found):
    """Yields changes of the segments of poor signal, lead by lead."""
    def read(golden):
        rows = golden.rows("quality")
        return ([(float(row["from_s"]), float(row["to_s"])) for row in rows],
                [f"lead {row['lead']} {row['quality']}" for row in rows], [row["lead"] for row in rows])

    (old_spans, old_names, old_leads), (new_spans, new_names, new_leads) = read(expected), read(found)
    pairs, gone, new = pairing.pair_spans(old_spans, new_spans, old_names, new_names, old_leads, new_leads)
    for a, b in pairs:
        if (old_spans[a], old_names[a]) != (new_spans[b], new_names[b]):
            yield Change("stretch", f"{old_names[a]} {span_text(old_spans[a])} is now "
                         f"{new_names[b]} {span_text(new_spans[b])}")
    for number in gone:
        yield Change("stretch gone", f"{old_names[number]} {span_text(old_spans[number])} is gone")
    for number in new:
        yield Change("stretch new", f"{new_names[number]} {span_text(new_spans[number])} is new")


# Summary, messages, digests ------------------------------------------------------------------------------------------

def summary(expected, found):
    for key in [*expected.summary, *(key for key in found.summary if key not in expected.summary)]:
        old, new = expected.summary.get(key), found.summary.get(key)
        if old is None:
            yield Change("summary", f"summary {key} is new: {new}")
        elif new is None:
            yield Change("summary", f"summary {key} is gone: {old}")
        elif old != new:
            yield Change("summary", f"summary {key}: {old} -> {new}")


def messages(expected, found):
    for old in (Counter(expected.messages) - Counter(found.messages)).elements():
        yield Change("message gone", f"message is gone: {cut(old)}")
    for new in (Counter(found.messages) - Counter(expected.messages)).elements():
        yield Change("message new", f"message is new: {cut(new)}")


def digests(expected, found):
    """Yields a line for each group with the columns, parts or files whose digests differ.

    Of a table with more or fewer rows every column differs, so only added and removed columns are named.
    """
    for group in [*expected.digests, *(group for group in found.digests if group not in expected.digests)]:
        old, new = expected.digests.get(group, {}), found.digests.get(group, {})
        other_rows = old.get(ROW_COUNT, "0") != new.get(ROW_COUNT, "0")
        texts = [f"rows {old.get(ROW_COUNT, '0')} -> {new.get(ROW_COUNT, '0')}"] if other_rows else []
        texts += [f"{name} ({'gone' if name in old else 'new'})" for name in sorted(old.keys() ^ new.keys())
                  if name != ROW_COUNT]
        texts += [name for name in old if name in new and old[name] != new[name] and not other_rows]
        if texts:
            yield Change("digest", f"digests of {group}: {', '.join(texts)}", count=len(texts))


def cut(text):
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS - 4] + " ..."


def plural(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
