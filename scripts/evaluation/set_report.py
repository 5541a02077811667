"""Writes the figures of several sets as text. Figures are nested dictionaries by set's name and by finder's name."""
from evaluation.ranking import KINDS
from evaluation.report import HEADING, number, table
from evaluation.set_figures import COLUMNS

PART = {"score": "score", "baseline_score": "baseline", "rhythm_score": "rhythm alone"}


def f1(counts, *key):
    return number(counts[key].f1, 2, 100)


def detection_table(found):
    """found: {set's name: {finder: SetFigures}}"""
    header = ["set", "finder", "refused", "false", "missed", "F1 % 150 ms", "50 ms", "with flutter: 150 ms", "50 ms"]
    rows = []
    for set_name, by_finder in found.items():
        for finder, figures in by_finder.items():
            gross = figures.gross
            counts = gross[150, True]
            with_flutter = [f1(gross, 150, False), f1(gross, 50, False)] if figures.has_flutter else ["", ""]
            rows.append([set_name, finder, str(len(figures.refused)), str(counts.fp), str(counts.fn),
                         f1(gross, 150, True), f1(gross, 50, True), *with_flutter])
    return left_aligned(header, rows, 2)


def ranking_table(found):
    header = ["set", "variant", "ranked by"]
    for kind in KINDS:
        header += [f"{HEADING[kind]}: records", "AUROC", "AP", "pooled AUROC", "AP"]
    rows = []
    for set_name, variant, figures in each_ranked(found):
        for column in COLUMNS:
            if column in figures.scores[0].scores:
                rows.append([set_name, variant, PART[column], *ranking_cells(figures, column)])
    return left_aligned(header, rows, 3)


def ranking_cells(figures, column):
    cells = []
    for kind in KINDS:
        cells.append(str(len(figures.eligible[kind])))
        for values in (figures.mean, figures.pooled):
            cells += [number(values[column, kind, measure]) for measure in ("auroc", "average_precision")]
    return cells


def alarm_table(found):
    header = ["set", "variant", "normal beats flagged / h", "in good signal", "no beats flagged / h", "V flagged %",
              "V missed"]
    rows = [[set_name, variant, *(number(figures.alarms.get(name), 1) for name in (
             "normal_flagged_per_hour", "normal_flagged_in_good_signal_per_hour", "no_beat_flagged_per_hour")),
             number(figures.alarms.get("V_flagged"), 1, 100), str(figures.alarms["V_missed"])]
            for set_name, variant, figures in each_ranked(found)]
    return left_aligned(header, rows, 2)


def rhythm_table(found):
    header = ["variant", "record", "positives", "AP: rhythm alone", "score", "baseline"]
    rows = []
    for set_name, variant, figures in each_ranked(found):
        for record, kind, precisions in figures.where_rhythm_is_better():
            cells = (number(precisions.get(column), 3) for column in ("rhythm_score", "score", "baseline_score"))
            rows.append([variant, f"{set_name}/{record}", HEADING[kind], *cells])
    return left_aligned(header, rows, 3)


def each_ranked(found):
    for set_name, by_finder in found.items():
        for finder, figures in by_finder.items():
            if figures.is_ranked:
                yield set_name, finder, figures


def stress_table(found, name, digits, factor):
    """found: {condition: {finder: {SNR: figures}}}; name: of the displayed figure"""
    columns = max((by_snr for by_finder in found.values() for by_snr in by_finder.values()), key=len)
    rows = [[condition, finder,
             *(number(by_snr[snr][name], digits, factor) if snr in by_snr else "" for snr in columns)]
            for condition, by_finder in found.items() for finder, by_snr in by_finder.items()]
    rows = [row for row in rows if set(row[2:]) - {"", "-"}]  # other tools rank nothing
    return left_aligned(["leads", "finder", *columns], rows, 2)


def interval(found):
    star = "*" if found["excludes_zero"] else " "
    return f"{found['mean']:+.4f} [{found['low']:+.4f}, {found['high']:+.4f}]{star} {found['people']:>3}"


def difference_table(by_scope):
    names = list(dict.fromkeys(name for found in by_scope.values() for name in found))
    headings = [name.replace("SVF", "S+V+F").replace("average_precision", "AP").replace("auroc", "AUROC")
                for name in names]
    rows = [[scope, *(interval(found[name]) if name in found else "-" for name in names)]
            for scope, found in by_scope.items()]
    return left_aligned(["records", *headings], rows, 1)


def left_aligned(header, rows, words):
    """Returns a table whose first columns are text: report.table left-aligns only the first."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(words)]
    joined = [["  ".join(cell.ljust(width) for cell, width in zip(line, widths)), *line[words:]] for line in lines]
    return table(joined[0], joined[1:])
