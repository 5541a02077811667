"""Features of rhythms: measures of each beat, and their statistics over windows of beats.

A measure is a column of the beat table, a posterior of a class, or derived from these. A feature is a statistic of a
measure over the beat and `reach` beats on either side. Missing values are ignored, and a feature without values
is NaN.
"""
import numpy as np
from numba import njit

from classify.intervals import quantiles_around
from classify.records import N, S, V, X
from classify.rounds import neighbour

LOCAL_BEATS = 8
INTERVALS = {  # measures that RR intervals alone give; rr: RR interval before the beat within 0.2 to 3 s
    "log_rr": "log of rr",
    "ratio": "rr over its local median, less 1, within 1.5; local: 8 beats on either side",
    "departure": "size of ratio",
    "change1": "size of the change of rr over 1 beat over the local median, within 1",
    "change2": "the same over 2 beats",
    "change3": "the same over 3 beats",
    "least_change": "the least of the three",
    "premature": "how far rr is below 0.9 of the local median, 0 to 1 at 0.75",
    "pause": "how far rr is above 1.2 of the local median, 0 to 1 at 1.5",
    "double": "how near rr is to twice the local median: exp(-((rr / local - 2) / 0.12)^2)",
    "fast": "how far rr is below 0.6 s, 0 to 1 at 0.4 s",
    "slow": "how far rr is above 1.2 s, 0 to 1 at 1.8 s",
    "shortening": "rr before less rr over the local median, within 0.3; 0 beside a pause",
    "correlation1": "ratio times that of the beat before, within 0.2",
    "correlation2": "ratio times that of 2 beats before, within 0.2",
}
CLASSES = {  # measures of the posteriors N, S, V, X
    "s": "posterior of S",
    "v": "posterior of V",
    "x": "posterior of X",
    "s_pair": "S times that of the beat before",
    "v_pair": "V times that of the beat before",
    "v_run": "expected number of V beats in a row around the beat, within 8",
    "s_run": "the same of S",
    "v_fast": "V times the larger V beside it, times 0 at an RR interval of 0.8 s and above to 1 at 0.5 s and below",
    "v_slow": "V times the larger V beside it, less v_fast",
    "bigeminy": "one abnormal beat in two: the product of the posteriors of three beats; abnormal: S + V",
    "trigeminy": "one in three: the product of four",
}
COLUMNS = ("p_evidence", "p_similarity", "pr_ms", "non_conducted_p", "qrs_ms", "qrs_ms_ratio", "tq_activity", "has_t",
           "t_to_r_s", "qrs_width_s", "qrs_width_ratio", "qrs_dissimilarity_local", "noise_level", "p_correlation",
           "p_projection", "p_height_local", "p_coherence", "p_peak_height", "p_peak_height_change", "p_peak_s",
           "p_trough_height", "t_correlation")
AF_COLUMNS = ("af_least_change8", "af_change8", "af_least_change24", "af_change24", "af_change_lag2",
              "af_changing_share", "af_irregular_share", "af_jump_share", "af_correlation_lag1",
              "af_correlation_lag2", "af_power")
AF_ODDS = "af_log_odds"  # fitted on the intervals of one set, so it is not used for that set
WAVES = {  # measures of P waves
    "p_absent": "1 where p_evidence is below 0.2",
    "p_present": "1 where it is above 0.6",
    "pr_short": "how far pr_ms is below 120 ms, in 40 ms",
    "pr_long": "how far pr_ms is above 200 ms, in 100 ms",
    "pr_growth": "pr_ms less that of the beat before, in 100 ms, within 1; only without a pause",
    "pr_drop": "pr_ms less that after a pause, in 100 ms, within 1",
    "pr_scatter": "size of pr_ms less its median over 8 beats on either side, in 100 ms, within 1",
    "pause_p": "pause times the number of non-conducted P waves, within 2",
    "pause_no_p": "pause without a non-conducted P wave",
    "between_p": "non-conducted P waves where there is no pause, within 2",
    "late_p": "pause that ends with a P wave: pause times p_evidence",
    "late_no_p": "pause that ends without one",
    "late_wide": "pause times qrs_ms_ratio, within 1",
}
IRREGULAR = {  # least_change if premature beats or P waves do not, or do, explain it
    "change_normal": "least_change times N of the beat and of the two before",
    "change_without_p": "least_change times 1 - p_evidence",
    "change_with_p": "least_change times p_evidence",
    "change_neither": "change_normal times 1 - p_evidence",
}
MEAN, LEAST, MOST, DEVIATION = "mean", "least", "most", "deviation"


def ramp(values, start, end):
    """Returns 0 at `start`, 1 at `end`, and linear interpolation in between."""
    return np.clip((values - start) / (end - start), 0, 1)


@njit(cache=True)
def run_lengths(p):
    """Returns the expected length of the run around each beat whose posteriors are p."""
    before, after = np.zeros(len(p)), np.zeros(len(p))
    for i in range(len(p)):
        before[i] = p[i] * (1 + (before[i - 1] if i else 0))
    for i in range(len(p) - 1, -1, -1):
        after[i] = p[i] * (1 + (after[i + 1] if i + 1 < len(p) else 0))
    return np.minimum(before + after - p, 8)


def interval_measures(rr):
    rr = np.clip(rr, 0.2, 3)
    local = quantiles_around(rr, np.arange(len(rr)), LOCAL_BEATS, 0.5)
    at = lambda lag: neighbour(rr, -lag)
    relative = rr / local
    ratio = np.clip(relative - 1, -1, 1.5)
    changes = [np.minimum(np.abs(rr - at(lag)) / local, 1) for lag in (1, 2, 3)]
    pause = ramp(relative, 1.2, 1.5)
    beside = (pause > 0) | (neighbour(pause, -1) > 0)
    return {"log_rr": np.log(rr), "ratio": ratio, "departure": np.abs(ratio), "change1": changes[0],
            "change2": changes[1], "change3": changes[2], "least_change": np.min(changes, 0),
            "premature": ramp(relative, 0.9, 0.75), "pause": pause, "double": np.exp(-((relative - 2) / 0.12) ** 2),
            "fast": ramp(rr, 0.6, 0.4), "slow": ramp(rr, 1.2, 1.8),
            "shortening": np.where(beside, 0, np.clip((at(1) - rr) / local, -0.3, 0.3)),
            "correlation1": np.clip(ratio * neighbour(ratio, -1), -0.2, 0.2),
            "correlation2": np.clip(ratio * neighbour(ratio, -2), -0.2, 0.2)}


def pattern(abnormal, period):
    """Returns how well each beat fits a pattern of one abnormal beat in `period`."""
    normal = 1 - abnormal
    found = np.zeros(len(abnormal))
    for shift in range(period):
        product = np.ones(len(abnormal))
        for by in range(-shift, period + 1 - shift):
            product *= neighbour(abnormal if (by + shift) % period == 0 else normal, by)
        found = np.maximum(found, product)
    return found


def class_measures(p, rr):
    s, v = p[:, S], p[:, V]
    pair = v * np.maximum(neighbour(v, -1), neighbour(v, 1))
    quick = ramp(np.clip(rr, 0.2, 3), 0.8, 0.5)
    return {"s": s, "v": v, "x": p[:, X], "s_pair": s * neighbour(s, -1), "v_pair": v * neighbour(v, -1),
            "v_run": run_lengths(v), "s_run": run_lengths(s), "v_fast": pair * quick, "v_slow": pair * (1 - quick),
            "bigeminy": pattern(s + v, 2), "trigeminy": pattern(s + v, 3)}


def wave_measures(of, pause):
    evidence, pr = of("p_evidence"), of("pr_ms")
    extra = np.minimum(of("non_conducted_p"), 2)
    known = np.where(np.isfinite(pr), pr, 0)
    places = np.flatnonzero(np.isfinite(pr))
    before = np.searchsorted(places, np.arange(len(pr)))
    median = quantiles_around(known[places], before, 8, 0.5) if len(places) else np.full(len(pr), np.nan)
    step = np.clip((pr - neighbour(pr, -1)) / 100, -1, 1)
    with np.errstate(invalid="ignore"):
        absent, present = (np.where(np.isfinite(evidence), beyond, np.nan)
                           for beyond in (evidence < 0.2, evidence > 0.6))
        return {"p_absent": absent, "p_present": present, "pr_short": np.maximum(120 - pr, 0) / 40,
                "pr_long": np.maximum(pr - 200, 0) / 100, "pr_growth": np.where(pause > 0, np.nan, step),
                "pr_drop": np.where(pause > 0, -step, 0 * step), "pr_scatter": np.minimum(np.abs(pr - median) / 100, 1),
                "pause_p": pause * extra, "pause_no_p": pause * (1 - np.minimum(extra, 1)),
                "between_p": (1 - pause) * extra, "late_p": pause * evidence, "late_no_p": pause * (1 - evidence),
                "late_wide": pause * np.clip(of("qrs_ms_ratio"), -1, 1)}


def measures(record, classes):
    """Returns the measures of each beat by name, [K] each; `classes`, [K, 4], may be NaN."""
    place = {name: k for k, name in enumerate(record.names)}
    of = lambda name: record.table[:, place[name]].astype(float) if name in place \
        else np.full(len(record.table), np.nan)
    rr = of("rr_s")
    found = interval_measures(rr)
    found |= {name: of(name) for name in (*AF_COLUMNS, AF_ODDS)}
    found |= class_measures(classes.astype(float), rr)
    found |= {name: of(name) for name in COLUMNS}
    normal, change, evidence = classes[:, N].astype(float), found["least_change"], found["p_evidence"]
    of_normal = change * normal * neighbour(normal, -1) * neighbour(normal, -2)
    found |= {"change_normal": of_normal, "change_without_p": change * (1 - evidence),
              "change_with_p": change * evidence, "change_neither": of_normal * (1 - evidence)}
    return found | wave_measures(of, found["pause"])


def window_mean(values, reach):
    known = np.isfinite(values)
    sums, counts = (np.r_[0, np.cumsum(v)] for v in (np.where(known, values, 0), known))
    i = np.arange(len(values))
    first, last = np.maximum(i - reach, 0), np.minimum(i + reach + 1, len(values))
    count = counts[last] - counts[first]
    return np.where(count > 0, (sums[last] - sums[first]) / np.maximum(count, 1), np.nan)


@njit(cache=True)
def window_most(values, reach):
    found = np.full(len(values), np.nan)
    for i in range(len(values)):
        for j in range(max(i - reach, 0), min(i + reach + 1, len(values))):
            if np.isfinite(values[j]) and not values[j] <= found[i]:
                found[i] = values[j]
    return found


def window_deviation(values, reach):
    mean = window_mean(values, reach)
    return np.sqrt(np.maximum(window_mean(values * values, reach) - mean * mean, 0))


STATISTICS = {MEAN: window_mean, MOST: window_most, LEAST: lambda v, reach: -window_most(-v, reach),
              DEVIATION: window_deviation}


def features_of():
    """Returns the list of features: (measure, statistic, reach)."""
    found = [(name, MEAN, reach) for name in INTERVALS for reach in (1, 4, 10)]
    found += [("departure", MOST, 4), ("pause", MOST, 5), ("log_rr", DEVIATION, 4), ("log_rr", LEAST, 5),
              ("log_rr", MOST, 5)]
    found += [(name, MEAN, 0) for name in (*AF_COLUMNS, AF_ODDS)]
    found += [(name, MEAN, reach) for name in CLASSES for reach in (0, 2, 6)]
    found += [(name, MOST, 4) for name in ("v_run", "s_run", "bigeminy", "trigeminy")]
    found += [(name, MEAN, reach) for name in (*COLUMNS, *WAVES) for reach in (1, 5)]
    found += [(name, MEAN, 10) for name in ("s", "v", "p_evidence", "p_absent", "p_present", "p_coherence", "pr_ms",
                                            "pr_long", "pr_growth", "pr_drop", "pr_scatter", "pause_p", "pause_no_p",
                                            "between_p", "late_p", "late_no_p", "tq_activity")]
    found += [(name, DEVIATION, 5) for name in ("p_evidence", "p_peak_s", "noise_level", "qrs_ms", "p_similarity")]
    found += [(name, MOST, 5) for name in ("p_evidence", "noise_level", "qrs_dissimilarity_local", "pause_p", "pr_drop",
                                           "between_p", "qrs_ms", "late_no_p", "late_wide")]
    found += [(name, LEAST, 5) for name in ("p_evidence", "pr_ms", "t_correlation")]
    found += [(name, MEAN, reach) for name in IRREGULAR for reach in (4, 10)]
    return found


FEATURES = features_of()
INTERVAL_FEATURES = [f for f in FEATURES if f[0] in INTERVALS or f[0] in AF_COLUMNS]


def features(record, classes, wanted=None):
    """Returns the features of each beat, [K, features]."""
    of = measures(record, classes)
    return np.stack([STATISTICS[statistic](of[name], reach) for name, statistic, reach in wanted or FEATURES],
                    1).astype(np.float32)
