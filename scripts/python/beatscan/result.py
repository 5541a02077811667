"""A result of beatscan as tables and figures: `result = beatscan.read("out/205")`, then `result.beats`."""
from __future__ import annotations

import functools
import json
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatscan import embedded
from beatscan.errors import InputError, OutputError, UsageError, in_words_of_python, needed

if TYPE_CHECKING:
    import datetime

    import matplotlib.axes
    import numpy as np
    import pandas as pd


MOST_INCHES = 60  # width of a figure
WAVE_COLUMNS = ("p_onset_s", "p_peak_s", "p_end_s", "qrs_onset_s", "qrs_end_s", "t_peak_s", "t_end_s", "pr_ms", "qrs_ms", "qt_ms",
                "qtc_ms", "st_mv", "p_evidence", "p_similarity", "p_confidence", "qrs_confidence", "t_confidence")  # of beats.csv


TRUTH_COLUMNS = ("kept", "anomalous")  # 0 or 1 in the files


class Result:
    """The result of one recording. Its tables are read from the folder's files on first use.

    Attributes:
        folder: the folder with the files of the result (docs/output.md)
    """

    def __init__(self, folder: str | Path, temporary: tempfile.TemporaryDirectory | None = None):
        self.folder = Path(folder)
        if not (self.folder / "summary.json").is_file():
            raise InputError(f"{self.folder}: is not a result of beatscan: it has no summary.json")
        if temporary is not None:
            weakref.finalize(self, temporary.cleanup)

    def __repr__(self) -> str:
        found, anomaly = self.summary["beats"]["found"], self.summary.get("anomaly")  # rhythm ranks no beats
        abnormal = "" if anomaly is None else f", {anomaly.get('count_in_good_signal', anomaly['count'])} abnormal"
        return f"<beatscan.Result: {found} beats{abnormal}, in {self.folder}>"

    @functools.cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json: the recording, counts, findings, advisories, the model, and the run."""
        path = self.folder / "summary.json"
        try:
            return json.loads(path.read_text())
        except ValueError as error:
            raise InputError(f"{path}: is damaged ({error}); analyse the recording again") from None

    @property
    def advisories(self) -> list[dict[str, Any]]:
        """The advisories: id, severity (info, caution, serious), message, time_s and lead."""
        return [{**each, "message": in_words_of_python(each["message"])} for each in self.summary.get("advisories", [])]

    @functools.cached_property
    def beats(self) -> pd.DataFrame:
        """One row a beat, in time order: the columns of beats.csv."""
        return self._table_or_parquet("beats")

    @functools.cached_property
    def abnormal(self) -> pd.DataFrame:
        """The abnormal beats, the most abnormal first, with the reason as text."""
        return self._table("abnormal.csv")

    @functools.cached_property
    def waves(self) -> pd.DataFrame:
        """P, QRS and T waves. If waves.csv was written, as by analyse(..., output_waves=True): its columns, one row a
        beat and lead. Otherwise the wave columns of beats.csv, one row a beat, over all leads."""
        if any((self.folder / f"waves.{form}").exists() for form in ("csv", "parquet")):
            return self._table_or_parquet("waves")
        if "qrs_onset_s" not in self.beats:
            raise InputError(f"{self.folder}: has no waves: they are found around R peaks of a signal of 60 Hz to 5 kHz")
        return self.beats[["beat", "sample", "r_peak_s", *(name for name in WAVE_COLUMNS if name in self.beats)]]

    @functools.cached_property
    def episodes(self) -> pd.DataFrame:
        """Rhythms, runs, pauses and segments without usable signal, in time order."""
        return self._table("episodes.csv")

    @functools.cached_property
    def hrv(self) -> pd.DataFrame:
        """Heart rate variability of the whole recording, its days and nights, and windows if they were asked for."""
        return self._table("hrv.csv")

    @functools.cached_property
    def templates(self) -> pd.DataFrame:
        """The templates of beat shapes, the most frequent first."""
        return self._table("templates.csv")

    @property
    def rate_hz(self) -> float | None:
        """The sampling rate."""
        return self.summary["sample_rate"]["hz"]

    @functools.cached_property
    def signal(self) -> np.ndarray:
        """The signal [L, N] in its unit, if the arrays were saved, as analyse() does."""
        path = self.folder / "arrays" / "signal.npy"
        if not path.exists():
            raise InputError(f"{self.folder}: has no arrays/signal.npy, in which analyse() and `beatscan run --save-arrays` keep "
                             "the signal; `beatscan plot` draws strips without it")
        import numpy

        values = numpy.load(path)
        return values.reshape(-1, self.summary["input"]["samples"])

    def report(self, path: str | Path | None = None) -> Path:
        """Writes the report as one self-contained HTML file, and returns its path.

        Args:
            path: file; by default report.html in the folder of the result
        """
        page = self.folder / "report.html"
        path = Path(path or page)
        if not page.exists():
            embedded.make_report(self.folder)
        if path.resolve() == page.resolve():
            return path
        try:
            return Path(shutil.copyfile(page, path))
        except OSError as error:
            raise OutputError(f"{path}: the page cannot be written there ({error.strerror}); give a file") from error

    def save(self, folder: str | Path) -> Path:
        """Copies all files of the result to a folder that does not exist yet, and returns its path."""
        try:
            return Path(shutil.copytree(self.folder, folder))
        except FileExistsError as error:
            raise OutputError(f"{folder}: exists; give a folder that does not") from error
        except OSError as error:
            raise OutputError(f"{folder}: the result cannot be copied there ({error})") from error

    def plot_strip(self, t: float | datetime.timedelta, seconds: float = 10.0, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draws a strip around the time t with matplotlib: each lead, and the beats with their classes, abnormal ones in red.

        Args:
            t: time from the start of the recording, in seconds or as a Timedelta; the middle of the strip
            seconds: length of the strip
            ax: axes to draw into; new ones by default
        """
        import numpy

        plt = needed("matplotlib.pyplot", "strips need")
        if not self.rate_hz:
            raise UsageError("a strip needs the sampling rate, which this result does not have")
        t, seconds = _seconds("t", t), _seconds("seconds", seconds)
        duration = self.signal.shape[1] / self.rate_hz
        if not 0 <= t <= duration:
            raise UsageError(f"t = {t} is not within the recording, 0 to {duration:g} s")
        if not seconds > 0:
            raise UsageError(f"seconds = {seconds} is not above 0")
        start, end = max(t - seconds / 2, 0), min(t + seconds / 2, duration)
        first, last = round(start * self.rate_hz), round(end * self.rate_hz)
        strip = self.signal[:, first:last]
        ax = ax or plt.subplots(figsize=(min(max(seconds, 4), MOST_INCHES), 1.5 + 1.2 * len(strip)), layout="constrained")[1]
        self._draw_leads(ax, numpy.arange(first, last) / self.rate_hz, strip)
        beats = self.beats[(self.beats.r_peak_s >= start) & (self.beats.r_peak_s < end)]
        for beat in beats.itertuples():
            abnormal = bool(beat.anomalous)
            ax.text(beat.r_peak_s, ax.get_ylim()[1], getattr(beat, "beat_class", "") or "", ha="center", va="bottom",
                    color="firebrick" if abnormal else "gray", weight="bold" if abnormal else "normal")
        ax.set_xlim(start, end)
        ax.set_xlabel("time in s")
        return ax

    def _draw_leads(self, ax, times, strip) -> None:
        """Draws leads one below the other. The y axis shows the values of a single lead, or the names of several."""
        import numpy

        found = self.summary["input"].get("leads") or [{}] * len(strip)
        names = [lead.get("name") or "" for lead in found]
        names = [f"lead {name}" if name.isdigit() else name for name in names]
        ranges = [float(numpy.nanmax(lead) - numpy.nanmin(lead)) if numpy.isfinite(lead).any() else 0 for lead in strip]
        step = 1.2 * max(ranges) or 1
        for i, lead in enumerate(strip):
            ax.plot(times, lead - i * step, linewidth=0.8, color="black")
        if len(strip) > 1:
            ax.set_yticks([-i * step for i in range(len(strip))], names)
        else:
            unit = found[0].get("unit")
            ax.set_ylabel(f"{names[0]} in {unit}" if unit and unit not in names[0] else names[0])

    def _table_or_parquet(self, name: str) -> pd.DataFrame:
        if not (self.folder / f"{name}.csv").exists() and (self.folder / f"{name}.parquet").exists():
            return _with_booleans(_pandas().read_parquet(self.folder / f"{name}.parquet"))
        return self._table(f"{name}.csv")

    def _table(self, name: str) -> pd.DataFrame:
        path = self.folder / name
        if not path.exists():
            raise InputError(f"{self.folder}: has no {name}")
        return _with_booleans(_pandas().read_csv(path, keep_default_na=False, na_values=[""]))


def _seconds(name: str, time: Any) -> float:
    """Returns seconds from a number or a difference of times."""
    try:
        return float(time.total_seconds() if hasattr(time, "total_seconds") else time)
    except (TypeError, ValueError):
        raise UsageError(f"{name} is a number of seconds, and not {time!r}") from None


def _with_booleans(table: pd.DataFrame) -> pd.DataFrame:
    for name in TRUTH_COLUMNS:
        if name in table:
            table[name] = table[name].astype("boolean" if table[name].hasnans else bool)
    return table


def _pandas():
    return needed("pandas", "tables need")


def read(folder: str | Path) -> Result:
    """Returns the result in a folder written by `beatscan run`. Raises InputError if there is none."""
    return Result(folder)
