"""Writes samples from Python to a file that the program reads."""
from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatscan.errors import UsageError

if TYPE_CHECKING:
    import numpy as np


def write_samples(x: Any, folder: Path) -> tuple[Path, list[tuple[str, int]] | None]:
    """Writes samples to a file in a folder. Returns it and, for a table, the names of its columns with their
    positions."""
    timed = hasattr(x, "iloc") and _holds_times(x.index)
    if hasattr(x, "iloc") and not timed:
        _warn_of_lost_rows(x.index)
    if hasattr(x, "to_frame") and _has_own_index(x):
        x = x.to_frame("signal" if x.name is None else str(x.name))  # a Series with times
    if timed and any(_is_number(name) for name in x.columns):  # array columns: all of them are leads
        x = x.set_axis([f"ECG {name}" for name in x.columns], axis=1)
    if hasattr(x, "columns") and not any(_is_number(name) for name in x.columns):
        return _write_table(x, folder / "table.csv")
    return _write_array(x, folder / "signal.npy"), None


def _write_table(table: Any, path: Path) -> tuple[Path, list[tuple[str, int]]]:
    """Writes a DataFrame as CSV, with its index as first column if it may contain times."""
    names = [str(name) for name in table.columns]
    if len(table) == 0 or not names:
        raise UsageError(f"the table has {len(table)} rows and {len(names)} columns: it holds no samples")
    with_index = _has_own_index(table)
    label = str(table.index.name or "")
    if not label and _holds_times(table.index) and "time" not in names:
        label = "time"
    table.to_csv(path, header=names, index=with_index, index_label=label)
    return path, [(name, position) for position, name in enumerate(names, start=int(with_index))]


def _write_array(x: Any, path: Path) -> Path:
    """Writes an array as float32 [L, N] or [N]."""
    import numpy

    samples = array_of(x)
    with open(path, "wb") as file:
        numpy.save(file, samples)
    return path


def array_of(x: Any, rows_are_leads: bool = False) -> np.ndarray:
    """Returns samples as an array of float32, [N] or [L, N]. The longer side is time unless rows are known to be
    leads."""
    import numpy

    if hasattr(x, "columns"):  # a DataFrame without names
        x = x.to_numpy()
    elif hasattr(x, "detach"):  # a tensor of PyTorch
        x = x.detach().cpu()
        x = (x.float() if x.is_floating_point() else x).numpy()  # NumPy has no bfloat16
    elif hasattr(x, "get") and hasattr(x, "device") and not isinstance(x, numpy.ndarray):  # an array of CuPy
        x = x.get()
    samples = numpy.ma.filled(_with_gaps(x), numpy.nan) if isinstance(x, numpy.ma.MaskedArray) else numpy.asarray(x)
    if samples.ndim not in (1, 2) or 0 in samples.shape:
        raise UsageError(f"samples are [N] of one lead, or [L, N] or [N, L] of several, and not {_shape_of(x, samples)}")
    if not numpy.issubdtype(samples.dtype, numpy.number) or numpy.iscomplexobj(samples):
        hint = "; x.astype(float) makes numbers of them, and NaN of None" if samples.dtype == object else ""
        raise UsageError(f"samples are real numbers, and not {samples.dtype}{hint}")
    if samples.ndim == 2 and samples.shape[0] > samples.shape[1] and not rows_are_leads:  # as in a file of an array
        samples = samples.T
    return numpy.ascontiguousarray(samples, dtype=numpy.float32)


def _with_gaps(masked: Any) -> Any:
    """Converts a masked array to a type with NaN, which replaces masked samples. Returns text and the like
    unchanged."""
    import numpy

    return masked.astype(numpy.float32) if masked.dtype.kind in "iu" else masked


def _shape_of(x: Any, samples: Any) -> str:
    if hasattr(x, "p_signal") and hasattr(x, "fs"):
        return "a Record of wfdb: give x.p_signal with rate_hz=x.fs, or the path of the record"
    return f"of shape {list(samples.shape)}" if samples.ndim else f"of type {type(x).__name__}"


def _has_own_index(x: Any) -> bool:
    """Returns whether a Series or DataFrame has an index other than the row numbers."""
    import pandas

    return not isinstance(x.index, pandas.RangeIndex)


def _holds_times(index: Any) -> bool:
    """Returns whether an index contains the times of the rows: dates, fractions, or numbers with the name of a time."""
    import numpy
    import pandas

    kind = getattr(index.dtype, "kind", "")
    if isinstance(index, pandas.MultiIndex) or kind not in "Mmiuf" or not kind:
        return False
    words = set(re.findall("[a-z]+", str(index.name or "").lower()))
    if kind in "Mm" or words & {"time", "times", "t", "ts", "timestamp", "timestamps", "elapsed", "ms", "sec", "seconds"}:
        return True
    return kind == "f" and bool(numpy.any(index.to_numpy() % 1 > 0))  # row numbers may be floats too, but have no fractions


def _warn_of_lost_rows(index: Any) -> None:
    """Warns if the row numbers have gaps or decrease, as after dropna() or sample(): rows are read in their present
    order."""
    import numpy

    if getattr(index.dtype, "kind", "?") not in "iuf" or len(index) < 3:
        return
    steps = numpy.diff(index.to_numpy().astype(numpy.float64))
    other = numpy.flatnonzero(steps != numpy.median(steps))
    if other.size:
        row = int(other[0])
        warnings.warn(f"the index jumps from {index[row]:.12g} to {index[row + 1]:.12g} ({other.size} such places): rows count as consecutive samples; "
                      "if some were taken out, give them back as NaN, as reindex() does, or reset_index(drop=True)", stacklevel=5)


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except (TypeError, ValueError):
        return False
    return True
