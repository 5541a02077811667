"""Fits the log odds of atrial fibrillation from RR intervals, and prints the lines of interval_columns.cpp.

  python3 -m classify.fibrillation FOLDER         (in scripts/)

The folder has RECORD.beats.csv (sample) and RECORD.rhythm.csv (sample,label) at 250 Hz, or WFDB records with qrs and
atr annotations, of the MIT-BIH Atrial Fibrillation Database.
"""
import sys
from pathlib import Path

import numpy as np

from classify.intervals import quantiles_around
from classify.rounds import means_around, neighbour

NAMES = ("af_least_change8", "af_change8", "af_least_change24", "af_change24", "af_change_lag2", "af_changing_share",
         "af_irregular_share", "af_jump_share", "af_correlation_lag1", "af_correlation_lag2", "af_power")


def measures(rr):
    """Returns the columns NAMES of RR intervals in s, [K, 11]."""
    rr = np.clip(np.asarray(rr, float), 0.2, 3)
    places = np.arange(len(rr))
    local = lambda values, reach: quantiles_around(values, places, reach, 0.5)
    near = local(rr, 16)
    one, two, three = (np.abs(rr - neighbour(rr, -lag)) / near for lag in (1, 2, 3))
    least, ratio = np.minimum(np.minimum(one, two), three), rr / near - 1
    power = means_around(ratio * ratio, 20) + 1e-4
    logs = [np.log(local(v, reach) + 0.004) for v, reach in ((least, 8), (one, 8), (least, 24), (one, 24), (two, 16))]
    shares = [means_around(v > limit, 16) for v, limit in ((one, 0.04), (least, 0.03), (one, 0.25))]
    self = [means_around(ratio * neighbour(ratio, -lag), 20) / power for lag in (1, 2)]
    return np.stack([*logs, *shares, *self, np.log(power)], 1)


def read(folder):
    """Returns a list of (RR intervals in s, rhythm of each beat)."""
    found = []
    for path in sorted(folder.glob("*.beats.csv")):
        beats = np.loadtxt(path, delimiter=",", skiprows=1)
        changes = path.with_name(path.name.replace("beats", "rhythm")).read_text()
        lines = [line.split(",") for line in changes.split()][1:]
        starts, labels = np.array([float(start) for start, _ in lines]), np.array([label for _, label in lines])
        rhythm = labels[np.maximum(np.searchsorted(starts, beats, side="right") - 1, 0)]
        rr = np.diff(beats) / 250
        found.append((np.clip(np.r_[np.median(rr), rr], 0.15, 6), rhythm))
    return found


def main():
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    parts = [(measures(rr)[::20], rhythm[::20]) for rr, rhythm in read(Path(sys.argv[1]))]

    def fitted(some):
        x, y = np.concatenate([p[0] for p in some]), np.concatenate([p[1] for p in some])
        x, y = x[y != "AFL"], (y == "AFIB")[y != "AFL"]
        mean, deviation = x.mean(0), x.std(0)
        model = LogisticRegression(C=0.1, max_iter=500).fit((x - mean) / deviation, y)
        return mean, deviation, model.coef_[0], model.intercept_[0]

    odds = lambda m, x: ((x - m[0]) / m[1]) @ m[2] + m[3]
    out = []
    for fold in range(5):
        model = fitted([p for k, p in enumerate(parts) if k % 5 != fold])
        out += [(odds(model, x), rhythm) for k, (x, rhythm) in enumerate(parts) if k % 5 == fold]
    value, rhythm = np.concatenate([o[0] for o in out]), np.concatenate([o[1] for o in out])
    value, is_af = value[rhythm != "AFL"], (rhythm == "AFIB")[rhythm != "AFL"]
    print(f"// Out of fold by record: AUROC {roc_auc_score(is_af, value):.4f}, sensitivity "
          f"{(value[is_af] > 0).mean():.3f} and specificity {(value[~is_af] < 0).mean():.3f} at odds of 1.")
    mean, deviation, weight, intercept = fitted(parts)
    for row in zip(mean, deviation, weight):
        print("    {" + ", ".join(f"{value:.6g}" for value in row) + "},")
    print(f"constexpr double kIntercept = {intercept:.6g};")


if __name__ == "__main__":
    main()
