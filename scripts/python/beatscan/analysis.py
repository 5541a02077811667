"""Finds the abnormal beats of a recording in this process: `result = beatscan.analyse(x, rate_hz=360)`."""
from __future__ import annotations

import math
import os
import tempfile
import warnings
from numbers import Integral
from operator import index
from pathlib import Path
from typing import Any

from beatscan import embedded
from beatscan.errors import Error, UsageError
from beatscan.result import Result
from beatscan.samples import write_samples

WITHOUT_SECTION = ("method", "seed", "device")  # keys of the configuration outside of sections
# Other packages' names for arguments of analyse().
NAMES_ELSEWHERE = {"sampling_rate": "rate_hz", "sample_rate": "rate_hz", "sfreq": "rate_hz", "fs": "rate_hz", "rate": "rate_hz",
                   "lead": "leads", "channel": "leads", "channels": "leads", "column": "leads"}


def analyse(x_or_path: Any, rate_hz: float | None = None, leads: Any = None, device: str = "auto", *, model: str | Path | Result | None = None,
            config: str | Path | None = None, events: Any = None, out: str | Path | None = None, force: bool = False,
            **options: Any) -> Result:
    """Analyses a recording like `beatscan run`, with bit-identical results.

    Needs NumPy alone. The result's tables need pandas, its strips matplotlib. PyTorch 2.8 or later is needed for
    vae_engine="autograd", and for other vae_channels, vae_latents or rows_points than the default.

    Args:
        x_or_path: a file that the program supports, or samples: [N] of one lead, or [L, N] or [N, L] of several, as an array
            of NumPy, PyTorch (on the CPU or a GPU) or CuPy. NaN is a missing sample. Or a Series or DataFrame of pandas, whose
            columns are chosen as those of a CSV file are: the ECG leads by their names, times as the sampling rate.
            The unit matters for the scale of figures alone; it is taken for mV if it is not in a column's name.
        rate_hz: samples a second; needed for arrays, and for files and tables that do not specify it
        leads: which leads to read: a name or position, or a list of them; all ECG leads by default
        device: "auto", "cpu", "cuda" or "cuda:N"
        model: a model.safetensors, or the result of another recording, to score by instead of training
        config: a configuration file, or "default" or "seed"
        events: the diary of the recording: a CSV file `time,text`, or pairs of seconds from the start and a text
        out: a folder for the files of the result; by default a temporary one, which is deleted with the result
        force: replace an earlier result in `out`
        options: keys of the configuration, detect_keep=0.3 for detect.keep

    Raises:
        beatscan.errors.Error: UsageError, InputError, UnanalysableError, DeviceError, OutputError or InternalError
    Warns:
        UserWarning: for each advisory (Result.advisories) except severity info
    """
    temporary = tempfile.TemporaryDirectory(prefix="beatscan-", dir=_fast_folder(x_or_path))
    try:
        return _analysed(x_or_path, rate_hz, leads, device, model, config, events, out, force, options, temporary)
    except BaseException:
        temporary.cleanup()
        raise


analyze = analyse  # the American spelling


def score(x: Any, model: str | Path | Result, rate_hz: float | None = None, **options: Any) -> Result:
    """Scores a recording by an existing model. The other arguments are those of analyse()."""
    if model is None:  # analyse() would train its own model
        raise UsageError("model is needed: a model.safetensors, or the result of another recording")
    return analyse(x, rate_hz, model=model, **options)


def _analysed(x_or_path, rate_hz, leads, device, model, config, events, out, force, options, temporary) -> Result:
    folder = Path(temporary.name)
    settings = _settings(options)
    if isinstance(x_or_path, (str, os.PathLike)):
        path, columns = Path(x_or_path), None
        if path.is_dir():
            raise UsageError(f"{path}: is a folder, and analyse() reads one recording; `beatscan run {path} --out DIR` reads all in it")
    else:
        path, columns = write_samples(x_or_path, folder)
        if columns is None and leads is None and config in ("seed", "published") and not {"ingest_leads", "ingest_column"} & set(options):
            settings.append("ingest.leads=auto")  # this configuration names a column, and an array has no names
    target = Path(out) if out is not None else folder / "result"
    request = {"inputs": [str(path)], "out": str(target), "device": str(device), "save_arrays": True, "report": False, "force": force,
               "settings": [*settings, *_choice(leads, columns)]}
    if isinstance(model, Result):
        model = model.folder / "model.safetensors"
    if events is not None and not isinstance(events, (str, os.PathLike)):
        events = _write_diary(events, folder / "events.csv")
    for key, value in (("rate_hz", rate_hz), ("model", model), ("config", config), ("events", events)):
        if value is not None:
            request[key] = number_of(value) if key == "rate_hz" else str(value)
    if str(device) == "auto":
        request["device"] = ""
    try:
        embedded.run(request)
    except Error as error:
        what = str(error).replace(str(folder / "signal.npy"), "the array").replace(str(folder / "table.csv"), "the table")
        raise type(error)(what) from None
    result = Result(target, temporary)
    for advisory in result.advisories:
        if advisory["severity"] != "info":
            warnings.warn(f"{advisory['id']} {advisory['severity']}: {advisory['message']}", stacklevel=3)
    return result


def _write_diary(events: Any, path: Path) -> Path:
    """Writes pairs of seconds and a text as a file that --events reads."""
    import csv

    try:
        rows = [(float(time_s), " ".join(str(text).split())) for time_s, text in events]
        if not all(math.isfinite(time_s) for time_s, _ in rows):
            raise ValueError
    except (TypeError, ValueError):
        raise UsageError("events is a CSV file, or pairs of seconds from the start and a text, as [(65, 'palpitations')]") from None
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("time", "text"), *rows])
    return path


def _fast_folder(x: Any) -> str | None:
    """Returns a folder in memory for temporary files of the call, if an array's files fit into it."""
    shared = "/dev/shm"
    if isinstance(x, (str, os.PathLike)) or not os.access(shared, os.W_OK):
        return None
    space = os.statvfs(shared)
    size = getattr(x, "nbytes", None) or 8 * getattr(x, "size", 0) if not callable(getattr(x, "size", 0)) else 8 * x.numel()
    return shared if 4 * size < space.f_bavail * space.f_frsize else None


def _choice(leads: Any, columns: list[tuple[str, int]] | None) -> list[str]:
    """Returns the settings that choose leads: ingest.column for one, ingest.leads for several.

    `columns` has the names of a table's columns, and their positions in the file."""
    import json

    if leads is None:
        return []
    one = isinstance(leads, (str, Integral))
    try:
        wanted = [lead if isinstance(lead, str) else index(lead) for lead in ([leads] if one else leads)]
    except TypeError:
        raise UsageError(f"leads are names or positions, counted from 0, and not {leads!r}") from None
    if columns:
        wanted = [_position(lead, columns) for lead in wanted]
    return [f"ingest.column={json.dumps(wanted[0])}" if one else f"ingest.leads={json.dumps(wanted)}"]


def _position(lead: str | int, columns: list[tuple[str, int]]) -> int:
    """Returns the position in the file of a column given by name or by position."""
    if isinstance(lead, int):
        found = [columns[lead][1]] if -len(columns) <= lead < len(columns) else []
    else:
        found = [position for name, position in columns if name == lead]
    if not found:
        raise UsageError(f"leads: {lead!r} is not among the columns {[name for name, _ in columns]}")
    if len(found) > 1:
        raise UsageError(f"leads: the column {lead!r} stands there twice; choose one by position, counted from 0")
    return found[0]


def number_of(rate_hz: Any) -> float:
    """Returns a sampling rate as a number; raises UsageError if it is not one."""
    try:
        rate = float(rate_hz)
    except (TypeError, ValueError, OverflowError):
        rate = math.nan
    if not math.isfinite(rate):
        raise UsageError(f"rate_hz is a number of samples a second, and not {rate_hz!r}")
    return rate


def _settings(options: dict[str, Any]) -> list[str]:
    """Converts keyword arguments to settings: detect_keep=0.3 becomes detect.keep=0.3."""
    import json

    for key in options:
        if key in NAMES_ELSEWHERE:
            raise UsageError(f"there is no argument {key}: it is named {NAMES_ELSEWHERE[key]}")
    settings = []
    for key, value in options.items():
        name = key if key in WITHOUT_SECTION else key.replace("_", ".", 1)
        try:
            settings.append(f"{name}={json.dumps(value, default=_plain)}")
        except (TypeError, ValueError):
            raise UsageError(f"{key} is a number, a text, True, False, None or a list of these, and not {value!r}") from None
    return settings


def _plain(value: Any) -> Any:
    """Converts a NumPy number or array to Python; raises TypeError for anything else."""
    if not hasattr(value, "tolist"):
        raise TypeError(type(value))
    return value.tolist()
