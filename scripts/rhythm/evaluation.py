"""Out-of-fold figures: strips, false fibrillation, and durations, compared with the episodes of the program."""
import numpy as np

from classify.records import S, V
from rhythm import decoder, measure, records, sources
from rhythm.records import PLACE, STATES, UNKNOWN

AF = {PLACE["AFIB"]}
BY_DURATION = {"ds1": ("AFIB", "AFL", "SVT", "VT", "IVR", "BIGEMINY", "TRIGEMINY", "JUNCTIONAL"),
               "svdb": ("SVT", "VT", "IVR", "BIGEMINY", "TRIGEMINY"), "cpsc2021": ("AFIB",), "afdb": ("AFIB",),
               "cudb": ("VF",), "tele": ("NOISE",)}
DEFINED = ("SVT", "VT", "IVR", "BIGEMINY", "TRIGEMINY")
QUICK_S = 0.6  # mean interval below which a run is a tachycardia


def decoded(some, log_ps, priors, settings):
    """Returns the segments of each record; `settings` by source."""
    found = []
    for record, log_p in zip(some, log_ps):
        if not len(record.times):
            found.append([(0.0, record.seconds, PLACE["NOISE"], 1.0)])  # no beats at all
            continue
        source = sources.source_of(record)
        _, path = decoder.decode(log_p[0], log_p[1], priors[source], settings[source])
        found.append(decoder.segments(path, records.edges_of(record), np.exp(log_p[0])))
    return found


def of_set(some, values, name):
    places = [k for k, record in enumerate(some) if record.set == name]
    return [some[k] for k in places], [values[k] for k in places]


def without_fibrillation(some):
    """Returns the indices of records that are known not to have atrial fibrillation or flutter."""
    of_atria = AF | {PLACE["AFL"]}
    states = [measure.states_of(record.stretches) for record in some]
    labelled = ("irhythm", "twelve", "ludb")  # whose records without the label do not have the rhythm
    return [k for k, known in enumerate(states) if (known or some[k].set in labelled) and not of_atria & known]


def false_fibrillation(some, found, name, sinus_alone=False):
    own, segments = of_set(some, found, name)
    places = [k for k in without_fibrillation(own)
              if not sinus_alone or measure.states_of(own[k].stretches) == {PLACE["NSR"]}]
    wrong = [sum(bool(AF & states) for states in of) for of in
             ([measure.states_of(segments[k]) for k in places], [measure.program_states(own[k]) for k in places])]
    return {"records": len(places), "model": wrong[0], "program": wrong[1]}


def durations(some, found, name, draws=1000):
    own, segments = of_set(some, found, name)
    patients, table = [record.patient for record in own], {}
    for label in BY_DURATION.get(name, ()):
        state = PLACE[label]
        counts = {"model": [measure.duration_counts(r, s, state) for r, s in zip(own, segments)],
                  "program": [measure.duration_counts(r, measure.program_stretches(r), state) for r in own]}
        if name == "afdb":  # without signals the program has no episodes there
            del counts["program"]
        if label in DEFINED:
            counts["definition"] = [measure.duration_counts(r, by_definition(r), state) for r in own]
        table[label] = {who: measure.interval(of, patients, draws) for who, of in counts.items()}
        for who in table[label]:
            right, false, missed = table[label][who]["counts"]
            table[label][who] |= {"sensitivity": right / max(right + missed, 1e-9),
                                  "predictivity": right / max(right + false, 1e-9)}
    return table


def by_definition(record):
    """Returns segments of bigeminy, trigeminy and runs by their definition, from the most probable classes."""
    best, edges, found = record.classes.argmax(1), records.edges_of(record), []
    for period, name in ((2, "BIGEMINY"), (3, "TRIGEMINY")):
        found += [(edges[a], edges[b], PLACE[name])
                  for a, b in records.runs_of(records.pattern_of(best == V, period), 1)]
    for of, quick, slow in ((S, "SVT", None), (V, "VT", "IVR")):
        for a, b in records.runs_of(best == of, 3):
            if name := quick if np.diff(record.times[a:b]).mean() < QUICK_S else slow:
                found.append((edges[a], edges[b], PLACE[name]))
    return found


def episodes(some, found, name, label):
    """Returns detected reference episodes, all reference episodes, true detected episodes and all detected episodes."""
    own, segments = of_set(some, found, name)
    state, table = PLACE[label], {}
    for who in ("model", "program"):
        counts = np.zeros(4, int)
        for record, of in zip(own, segments):
            stretches = measure.joined(of if who == "model" else measure.program_stretches(record), state)
            counts += measure.episode_counts(measure.joined(record.stretches, state), stretches)
        table[who] = counts.tolist()
    return table


def false_time(some, found):
    """Returns the seconds an hour that each rhythm is reported in sinus rhythm of long recordings."""
    seconds, hours = np.zeros(len(STATES)), 0.0
    for record, segments in zip(some, found):
        if sources.source_of(record) == "strip" or record.set not in sources.SETS["holter"]:
            continue
        hours += sum(end - start for start, end, state in record.stretches if state == PLACE["NSR"]) / 3600
        for state in {s[2] for s in segments} - {PLACE["NSR"]}:
            of_sinus = [(a, b, c if c == PLACE["NSR"] else UNKNOWN) for a, b, c in record.stretches]
            only = records.Record(record.set, record.name, "", None, record.rate, record.seconds, of_sinus)
            seconds[state] += measure.duration_counts(only, segments, state)[1]
    return {name: float(seconds[state] / max(hours, 1e-9)) for state, name in enumerate(STATES) if name != "NSR"}


def figures(some, found):
    """Returns all tables as a dictionary."""
    table = {}
    sets = {record.set for record in some}
    if "irhythm" in sets:
        own, segments = of_set(some, found, "irhythm")
        model = measure.strips(own, [measure.states_of(s) for s in segments])
        program = measure.strips(own, [measure.program_states(r) for r in own])
        known = [r if len(r.times) else None for r in own]
        defined = measure.strips(own, [measure.states_of(by_definition(r)) if r else set() for r in known])
        table["strips"] = {name: {"model": model[name], "program": program.get(name)} for name in model}
        for name in set(DEFINED) & set(table["strips"]):
            table["strips"][name]["definition"] = defined[name]
    table["records with false AFIB"] = {name: false_fibrillation(some, found, name)
                                        for name in ("irhythm", "twelve", "ludb", "svdb", "qtdb") if name in sets}
    if "irhythm" in sets:
        table["records with false AFIB"]["irhythm, sinus alone"] = false_fibrillation(some, found, "irhythm", True)
    table["false seconds an hour of sinus rhythm"] = false_time(some, found)
    table["duration"] = {name: durations(some, found, name) for name in BY_DURATION if name in sets}
    if "cudb" in sets:
        table["episodes: found, of, true, of"] = {"cudb VF": episodes(some, found, "cudb", "VF")}
    return table


def text(table):
    lines = []
    for name, of in table.get("strips", {}).items():
        program = measure.line(name, of["program"]) if of["program"] else "-"
        defined = f"   definition {measure.line(name, of['definition'])}" if "definition" in of else ""
        lines.append(f"  strips  {name:13s} {measure.line(name, of['model']):34s} program {program}{defined}")
    for name, of in table.get("records with false AFIB", {}).items():
        lines.append(f"  false AFIB in {name}: {of['model']} of {of['records']} records, program {of['program']}")
    false = table.get("false seconds an hour of sinus rhythm", {})
    if false:
        lines.append("  false seconds an hour of sinus rhythm: " + ", ".join(f"{k} {v:.1f}" for k, v in false.items()))
    for name, labels in table.get("duration", {}).items():
        for label, of in labels.items():
            both = "   ".join(f"{who} {v['f1']:.3f} (Se {v['sensitivity']:.3f}, PPV {v['predictivity']:.3f})"
                              for who, v in of.items())
            lines.append(f"  duration {name} {label}: {both}")
    for name, of in table.get("episodes: found, of, true, of", {}).items():
        both = "   ".join(f"{who} found {a} of {b}, true {c} of {d}" for who, (a, b, c, d) in of.items())
        lines.append(f"  episodes {name}: {both}")
    return "\n".join(lines)
