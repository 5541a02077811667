"""Differences of two variants, or of a variant and another tool, over the same records, with intervals.

They are given for each set, for all sets together, and with each set left out in turn. With a set its people are left
out: with nstdb, which is noise on 118 and 119, these two records of ds1 are.
"""
from evaluation.bootstrap import f1_difference, mean_with_interval
from evaluation.ranking import KINDS, MEASURES

F1_KEYS = {"F1 at 150 ms": (150, True), "F1 at 50 ms": (50, True)}  # flutter excepted


def scopes(people):
    """Returns {scope: [(set's name, index of the record)]}. people: {set's name: [person of each record]}"""
    every = [(name, i) for name, of_set in people.items() for i in range(len(of_set))]
    result = {name: [place for place in every if place[0] == name] for name in people}
    if len(people) > 1:
        result["all sets"] = every
        for name, of_set in people.items():
            result[f"without {name}"] = [(other, i) for other, i in every if people[other][i] not in of_set]
    return result


def ranking_difference(ours, theirs, columns, kind, measure, places, people):
    """ours, theirs: {set's name: SetFigures}; columns: that of ours, and that of theirs."""
    differences, drawn = [], []
    for name, i in places:
        a = ours[name].figure(i, columns[0], kind, measure)
        b = theirs[name].figure(i, columns[1], kind, measure)
        if a is not None and b is not None:
            differences.append(a - b)
            drawn.append(people[name][i])
    return mean_with_interval(differences, drawn)


def detection_difference(ours, theirs, key, places, people):
    def counts(figures):
        return [[c.tp, c.fp, c.fn] for c in (figures[name].counts[i][key] for name, i in places)]

    return f1_difference(counts(ours), counts(theirs), [people[name][i] for name, i in places])


def differences(ours, theirs, people, columns=("score", "score"), detection=True, ranking=True):
    """Returns {scope: {figure: interval}}, without the figures that a scope has no records for."""
    result = {}
    for scope, places in scopes(people).items():
        found = {}
        for kind in KINDS if ranking else ():
            for measure in reversed(MEASURES):  # average precision first
                found[f"{kind} {measure}"] = ranking_difference(ours, theirs, columns, kind, measure, places, people)
        for name, key in F1_KEYS.items() if detection else ():
            found[name] = detection_difference(ours, theirs, key, places, people)
        if scope.startswith("without "):  # of a set without records for a figure nothing was left out
            found = {name: interval for name, interval in found.items() if interval != result["all sets"].get(name)}
        result[scope] = {name: interval for name, interval in found.items() if interval}
    return {scope: found for scope, found in result.items() if found}
