"""Finds onset, peak and end of P, QRS and T waves in this process: `waves = beatscan.delineate(x, rate_hz=500)`."""
from __future__ import annotations

import contextlib
import difflib
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from beatscan import operators
from beatscan.analysis import NAMES_ELSEWHERE, number_of
from beatscan.errors import DeviceError, Error, InternalError, UnanalysableError, UsageError, in_words_of_python, needed
from beatscan.samples import array_of

if TYPE_CHECKING:
    import pandas as pd
    import torch

WAVES = ("p_onset", "p_peak", "p_end", "qrs_onset", "r_peak", "qrs_end", "t_onset", "t_peak", "t_end")  # of the operator
INTERVALS = ("pr_ms", "qrs_ms", "qt_ms", "qtc_ms")
AMPLITUDES = ("p_mv", "st_mv", "t_mv")
CONFIDENCES = ("p_confidence", "qrs_confidence", "t_confidence")
ELSEWHERE = {**NAMES_ELSEWHERE, "rpeaks": "r_peaks", "ecg": "x", "ecg_cleaned": "x"}


def delineate(x: Any, rate_hz: float, r_peaks: Any = None, leads: Any = None, device: Any = "auto", *, by_lead: bool = False,
              config: str | None = None, **options: Any) -> pd.DataFrame:
    """Finds P, QRS and T waves around R peaks, and the intervals between them.

    Needs PyTorch 2.8 or later and pandas, the package's extra `torch`. Result.waves of analyse() has the same waves without
    PyTorch.

    Args:
        x: samples in mV: [N] of one lead, or [L, N] or [N, L] of several, as an array of NumPy, PyTorch (on the CPU or a GPU)
            or CuPy, or a DataFrame of pandas whose columns are leads. NaN is a missing sample.
        rate_hz: samples a second, 60 to 5000
        r_peaks: samples of the R peaks, from 0, ascending; detected by default
        leads: which leads to read: a name or position, or a list of them; all by default
        device: "auto", "cpu", "cuda" or "cuda:N"
        by_lead: one row a beat and lead, instead of one row a beat over all leads
        config: a configuration file
        options: keys of the configuration in the sections detect, quality, rows, rhythm and waves, such as
            waves_qtc="bazett" for waves.qtc

    Returns:
        a table with one row a beat; docs/python.md lists its columns. Absent waves are <NA>. Its `attrs` have the rate,
        and `non_conducted_p`: (onset, end) in samples of each P wave without a QRS complex.

    Raises:
        beatscan.errors.Error: UsageError, UnanalysableError, DeviceError or InternalError
    """
    torch, _ = needed("torch", "delineate() needs", ">=2.8"), needed("pandas", "delineate() needs")
    rate = number_of(rate_hz)
    names, signal = _signal(x, leads)
    samples = signal.shape[1]
    given = None if r_peaks is None else torch.from_numpy(_samples_of(r_peaks, samples))
    ops = operators.load()
    of_beats, of_waves = _options(ops, options if config is None else {"config": str(config), **options})
    device = _device(torch, ops, device, signal)
    signal = (signal if torch.is_tensor(signal) else torch.from_numpy(signal)).to(device, torch.float32).contiguous()
    with _errors_of_operators(torch):
        beats, _, blocks = ops.find_beats(signal, rate, **of_beats)
        beats = beats if given is None else given.to(device)
        if not len(beats):
            raise UnanalysableError(f"no beats were found in {samples / rate:.3g} s: is rate_hz right, and is this an ECG? "
                                    "Give r_peaks where you know them")
        waves = {name: tensor.cpu().numpy() for name, tensor in ops.delineate(signal, beats, rate, blocks, **of_waves).items()}
    table = (_by_lead(names, beats.cpu().numpy(), samples, waves) if by_lead else
             _over_leads(beats.cpu().numpy(), samples, waves))
    table.attrs["rate_hz"] = rate
    table.attrs["non_conducted_p"] = [tuple(wave) for wave in _nearest(waves["non_conducted_p"][:, 1:], samples).tolist()]
    return table


# Arguments -----------------------------------------------------------------------------------------------------------

def _signal(x: Any, leads: Any) -> tuple[list[Any], np.ndarray | torch.Tensor]:
    """Returns the names of the leads, or their positions if they have none, and the samples [L, N]."""
    if hasattr(x, "columns") and len(x.columns):  # a table: its rows are time
        chosen = _chosen(leads, list(x.columns))
        return [x.columns[i] for i in chosen], array_of(x.iloc[:, chosen].to_numpy().T, rows_are_leads=True)
    if hasattr(x, "detach") and hasattr(x, "dim") and x.dim() in (1, 2) and x.numel() and not x.is_complex():
        samples = x.detach()
        samples = samples.T if samples.dim() == 2 and samples.shape[0] > samples.shape[1] else samples
    else:
        samples = array_of(x)
    samples = samples[None] if len(samples.shape) == 1 else samples
    chosen = _chosen(leads, list(range(samples.shape[0])))
    return chosen, samples if leads is None else samples[chosen]


def _chosen(leads: Any, names: list[Any]) -> list[int]:
    """Returns the positions of the leads requested by name or by position."""
    if leads is None:
        return list(range(len(names)))
    wanted = [leads] if isinstance(leads, str) or not hasattr(leads, "__iter__") else list(leads)
    chosen = []
    for lead in wanted:
        found = [i for i, name in enumerate(names) if name == lead]
        if not found and not isinstance(lead, (str, float)) and hasattr(lead, "__index__") and 0 <= lead < len(names):
            found = [int(lead)]
        if len(found) != 1:
            raise UsageError(f"leads: {lead!r} {'stands there twice' if found else 'is not'} among {names}; give names or "
                             "positions, counted from 0")
        if found[0] in chosen:
            raise UsageError(f"leads: {lead!r} is asked for twice")
        chosen += found
    if not chosen:
        raise UsageError("leads is empty: name one, or leave it out to read all")
    return chosen


def _samples_of(r_peaks: Any, samples: int) -> np.ndarray:
    """Returns R peaks as float64 [K]."""
    values = np.asarray(r_peaks.detach().cpu() if hasattr(r_peaks, "detach") else r_peaks)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise UsageError(f"r_peaks are sample numbers [K], and not of type {type(r_peaks).__name__} with shape {list(values.shape)} "
                         f"and values of {values.dtype}")
    if not len(values):
        raise UsageError("r_peaks is empty; leave it out to have R peaks detected")
    values = values.astype(np.float64)
    hint = "; it has a value a sample: numpy.flatnonzero(r_peaks) has the sample numbers" if len(values) == samples else ""
    within = (values >= 0) & (values <= samples - 1)
    if not within.all():
        place = int(np.flatnonzero(~within)[0])
        raise UsageError(f"r_peaks: {values[place]:.12g}, number {place}, is not within the samples 0 to {samples - 1}")
    places = np.flatnonzero(np.diff(values) <= 0)
    if places.size:
        before, place = values[places[0]], int(places[0]) + 1
        raise UsageError(f"r_peaks: {values[place]:.12g}, number {place}, is not above the one before it, {before:.12g}{hint}")
    return values


def _device(torch: Any, ops: Any, device: Any, signal: Any) -> torch.device:
    """Returns the compute device: that of the samples, or a GPU, if possible and the library has code for it."""
    has_code = torch._C._dispatch_has_kernel_for_dispatch_key("beatscan::delineate", "CUDA")
    if str(device) == "auto":
        if torch.is_tensor(signal) and signal.is_cuda and has_code:
            return signal.device
        return torch.device("cuda" if has_code and torch.cuda.is_available() else "cpu")
    if not re.fullmatch(r"cpu|cuda(:\d+)?", str(device)):
        raise UsageError(f'device: "{device}" is not one of auto, cpu, cuda, cuda:N')
    chosen = torch.device(device)
    if chosen.type == "cuda" and not (has_code and (chosen.index or 0) < torch.cuda.device_count()):
        raise DeviceError(f"device: there is no {chosen} here{'' if has_code else ', and the library was built without CUDA'}; "
                          'device="cpu" works everywhere')
    return chosen


def _options(ops: Any, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the options of find_beats and those of delineate; some belong to both."""
    taken = [{argument.name for argument in operator.default._schema.arguments if argument.kwarg_only}
             for operator in (ops.find_beats, ops.delineate)]
    for name in options:
        if name in ELSEWHERE:
            raise UsageError(f"there is no argument {name}: it is named {ELSEWHERE[name]}")
        if not any(name in names for names in taken):
            near = difflib.get_close_matches(name, sorted(set.union(*taken)), 1)
            raise UsageError(f"there is no option {name} of delineate()" + (f"; did you mean {near[0]}" if near else ""))
    plain = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in options.items()}
    first, second = ({name: value for name, value in plain.items() if name in names} for names in taken)
    return first, second


@contextlib.contextmanager
def _errors_of_operators(torch: Any):
    """Converts the errors of operators to those of this package."""
    try:
        yield
    except Error:
        raise
    except (torch.OutOfMemoryError, torch.AcceleratorError) as error:
        raise DeviceError(str(error).splitlines()[0]) from error
    except (RuntimeError, ValueError) as error:
        raise _error_of(error) from error


def _error_of(error: Exception) -> Error:
    """Returns this package's error for an operator's error, by its type and its text."""
    text = str(error).splitlines()[0]
    wrong_type = re.search(r"Expected a value of type '(?:Optional\[)?(\w+).*' for argument '(\w+)'", text)
    if wrong_type:
        return UsageError(f"{wrong_type[2]} is of type {wrong_type[1]}")
    if text.startswith("CUDA: "):
        return DeviceError(text)
    if re.search(r" \(\w+\.\w+:\d+\)$", text):  # ends with the source position of a check in the program
        return InternalError(text)
    if not isinstance(error, ValueError):
        return UnanalysableError(text)
    key = re.sub(r"^beatscan::\w+: ", "", text)  # the key of an option precedes its error
    return UsageError(in_words_of_python(key if key == text or key.startswith("ingest.") else f"--set: {key}"))


# Results -------------------------------------------------------------------------------------------------------------

def _over_leads(r_peaks: np.ndarray, samples: int, waves: dict[str, np.ndarray]) -> pd.DataFrame:
    import pandas

    columns = _columns(r_peaks, waves["fiducials"], waves["intervals"], samples)
    columns |= {name: _rounded(waves[name], 3) for name in ("st_mv", "p_evidence", "p_similarity")}
    columns |= dict(zip(CONFIDENCES, _rounded(waves["confidence"], 3).T))
    return pandas.DataFrame({"beat": range(len(r_peaks)), **columns})


def _by_lead(names: list[Any], r_peaks: np.ndarray, samples: int, waves: dict[str, np.ndarray]) -> pd.DataFrame:
    """Returns the leads of the first beat, then those of the second, and so on."""
    import pandas

    def by_beat(name: str) -> np.ndarray:
        return np.swapaxes(waves[name], 0, 1).reshape(len(names) * len(r_peaks), -1)

    columns = _columns(np.repeat(r_peaks, len(names)), by_beat("lead_fiducials"), by_beat("lead_intervals"), samples)
    columns |= dict(zip(AMPLITUDES, _rounded(by_beat("lead_amplitudes"), 3).T))
    return pandas.DataFrame({"beat": np.repeat(np.arange(len(r_peaks)), len(names)), "lead": names * len(r_peaks), **columns})


def _columns(r_peaks: np.ndarray, fiducials: np.ndarray, intervals: np.ndarray, samples: int) -> dict[str, Any]:
    columns: dict[str, Any] = {"sample": _nearest(r_peaks, samples)}
    columns |= {name: _samples(fiducials[:, i], samples) for i, name in enumerate(WAVES) if name != "r_peak"}
    return columns | dict(zip(INTERVALS, _rounded(intervals, 1).T))


def _samples(values: np.ndarray, samples: int) -> pd.arrays.IntegerArray:
    """Returns the nearest samples, <NA> for NaN."""
    import pandas

    return pandas.arrays.IntegerArray(_nearest(values, samples), np.isnan(values))


def _nearest(values: np.ndarray, samples: int) -> np.ndarray:
    """Returns the nearest samples, 0 for NaN. A wave that extends beyond the recording is clipped to its end."""
    return np.floor(np.nan_to_num(values) + 0.5).clip(0, samples - 1).astype(np.int64)


def _rounded(values: np.ndarray, digits: int) -> np.ndarray:
    return values.astype(float).round(digits)
