"""Writes the figures as text."""
from evaluation.detection import TOLERANCES_MS
from evaluation.ranking import KINDS, MEASURES

HEADING = {"auroc": "AUROC", "average_precision": "AP", "score": "", "baseline_score": "base ", "SVF": "S+V+F",
           "V": "V"}
# heading, digits, factor
SHARES = {"coverage": ("scored %", 2, 100), "kept": ("kept %", 2, 100), "good": ("good %", 2, 100),
          "false_alarms_per_200": ("alarms/200 N", 2, 1), "v_sensitivity": ("V flagged %", 2, 100)}


def number(value, digits=4, factor=1):
    return "-" if value is None else f"{factor * value:.{digits}f}"


def table(header, rows):
    """Returns a table with names to the left and numbers to the right."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join("  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


DETECTION_HEADER = [heading for tolerance_ms in TOLERANCES_MS
                    for heading in (f"{tolerance_ms} ms: tp", "fp", "fn", "Se %", "PPV %", "F1 %")]


def detection_cells(counts, without_flutter):
    cells = []
    for tolerance_ms in TOLERANCES_MS:
        c = counts[tolerance_ms, without_flutter]
        cells += [str(c.tp), str(c.fp), str(c.fn)]
        cells += [number(share, 3, 100) for share in (c.sensitivity, c.ppv, c.f1)]
    return cells


def detection_rows(name, counts, both):
    """Returns a row with all beats and, if `both`, one without those of ventricular flutter."""
    rows = [[name, *detection_cells(counts, False)]]
    return rows + [[f"{name}, no flutter", *detection_cells(counts, True)]] if both else rows


def detection_table(records, counts, total):
    rows = [row for record in records for row in detection_rows(record.name, counts[record.name], record.flutter)]
    return table(["record", *DETECTION_HEADER], rows + detection_rows("gross", total, True))


def figure_header(columns):
    return [cell for kind in KINDS
            for cell in [HEADING[kind], *(HEADING[c] + HEADING[m] for c in columns for m in MEASURES)]]


def figure_cells(positives, figures, columns, kinds=KINDS):
    """Returns the cells of a row. Figures of a kind that is not among `kinds` are omitted."""
    return [cell for kind in KINDS
            for cell in [str(positives[kind]), *(number(figures[c, kind, m] if kind in kinds else None)
                                                 for c in columns for m in MEASURES)]]


def share_cells(shares):
    return [number(value, *SHARES[name][1:]) for name, value in shares.items()]


def ranking_table(summary):
    rows = []
    for i, name in enumerate(summary.names):
        kinds = [kind for kind in KINDS if i in summary.eligible[kind]]
        rows.append([name, *figure_cells(summary.positives[i], summary.records[i], summary.columns, kinds),
                     *share_cells(summary.record_shares[i])])
    of_mean = {kind: f"{len(indices)} rec." for kind, indices in summary.eligible.items()}
    rows.append(["mean", *figure_cells(of_mean, summary.mean, summary.columns), *["" for _ in summary.shares]])
    rows.append(["pooled", *figure_cells(summary.total_positives(), summary.pooled, summary.columns),
                 *share_cells(summary.shares)])
    return table(["record", *figure_header(summary.columns), *(SHARES[name][0] for name in summary.shares)], rows)


def difference_lines(differences):
    return [f"score - baseline, {HEADING[kind]} against N, mean {HEADING[measure]}: {found['mean']:+.4f}, "
            f"95 % from {found['low']:+.4f} to {found['high']:+.4f} ({found['records']} records)"
            for (kind, measure), found in differences.items() if found]
