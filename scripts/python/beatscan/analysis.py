"""Finds the abnormal beats of a recording in this process: `result = beatscan.analyse(x, rate_hz=360)`."""
from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from beatscan import embedded
from beatscan.errors import UsageError
from beatscan.result import Result

WITHOUT_SECTION = ("method", "seed", "device")  # keys of the configuration that are in no section


def analyse(x_or_path: Any, rate_hz: float | None = None, leads: Any = None, device: str = "auto", *, model: str | Path | None = None,
            config: str | Path | None = None, out: str | Path | None = None, **options: Any) -> Result:
    """Analyses a recording as `beatscan run` does, with the same results to the bit.

    Args:
        x_or_path: a file that the program reads, or samples: [N] of one lead or [L, N] of several, as an array of NumPy,
            PyTorch (on the CPU or a GPU) or CuPy, or a Series or DataFrame of pandas with a column a lead. NaN is a
            missing sample. Samples are taken in mV.
        rate_hz: samples a second; needed for arrays, and for files that do not tell it
        leads: which leads to read: a name or position, or a list of them; all ECG leads by default
        device: "auto", "cpu", "cuda" or "cuda:N"
        model: a model.safetensors to score by, instead of training one
        config: a configuration file, or "default" or "seed"
        out: a folder for the files of the result; a temporary one by default, which goes with the result
        options: keys of the configuration, detect_keep=0.3 for detect.keep

    Raises:
        beatscan.errors.Error: UsageError, InputError, UnanalysableError, DeviceError, OutputError or InternalError
    Warns:
        UserWarning: for each reason to doubt the result (Result.warnings)
    """
    temporary = tempfile.TemporaryDirectory(prefix="beatscan-", dir=_fast_folder(x_or_path))
    try:
        return _analysed(x_or_path, rate_hz, leads, device, model, config, out, options, temporary)
    except BaseException:
        temporary.cleanup()
        raise


def score(x: Any, model: str | Path, rate_hz: float | None = None, **options: Any) -> Result:
    """Scores a recording by a model that was trained before. The other arguments are those of analyse()."""
    return analyse(x, rate_hz, model=model, **options)


def _analysed(x_or_path, rate_hz, leads, device, model, config, out, options, temporary) -> Result:
    folder = Path(temporary.name)
    if isinstance(x_or_path, (str, os.PathLike)):
        path, names = Path(x_or_path), None
    else:
        path, names = _written(x_or_path, folder / "signal.npy")
        if rate_hz is None and options.get("method") != "published":
            raise UsageError("rate_hz is needed: an array does not tell its sampling rate")
    target = Path(out) if out is not None else folder / "result"
    request = {"inputs": [str(path)], "out": str(target), "device": device, "save_arrays": True, "report": False,
               "settings": [*_settings(options), *_choice(leads, names)]}
    for key, value in (("rate_hz", rate_hz), ("model", model), ("config", config)):
        if value is not None:
            request[key] = value if key == "rate_hz" else str(value)
    if device == "auto":
        request["device"] = ""
    embedded.run(request)
    result = Result(target, temporary)
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=3)
    return result


def _fast_folder(x: Any) -> str | None:
    """Returns a folder in memory for what is needed for the call alone, if an array's files fit into it."""
    shared = "/dev/shm"
    if isinstance(x, (str, os.PathLike)) or not os.access(shared, os.W_OK):
        return None
    space = os.statvfs(shared)
    size = getattr(x, "nbytes", None) or 8 * getattr(x, "size", 0) if not callable(getattr(x, "size", 0)) else 8 * x.numel()
    return shared if 4 * size < space.f_bavail * space.f_frsize else None


def _written(x: Any, path: Path) -> tuple[Path, list[str] | None]:
    """Writes samples as float32 [L, N] to a file of NumPy; returns it and the names of the leads, if they have any."""
    import numpy

    names = None
    if hasattr(x, "columns"):  # a DataFrame
        names, x = [str(name) for name in x.columns], x.to_numpy().T
    elif hasattr(x, "detach"):  # a tensor of PyTorch
        x = x.detach().cpu().numpy()
    elif hasattr(x, "get") and hasattr(x, "device") and not isinstance(x, numpy.ndarray):  # an array of CuPy
        x = x.get()
    samples = numpy.asarray(x)
    if samples.ndim not in (1, 2) or 0 in samples.shape:
        raise UsageError(f"samples are [N] of one lead or [L, N] of several, and not of shape {list(samples.shape)}")
    if not numpy.issubdtype(samples.dtype, numpy.number) or numpy.iscomplexobj(samples):
        raise UsageError(f"samples are real numbers, and not {samples.dtype}")
    if samples.ndim == 2 and samples.shape[0] > samples.shape[1]:
        raise UsageError(f"samples are [L, N], a row a lead; {list(samples.shape)} has more leads than samples: transpose it")
    with open(path, "wb") as file:
        numpy.save(file, numpy.ascontiguousarray(samples, dtype=numpy.float32))
    return path, names


def _choice(leads: Any, names: list[str] | None) -> list[str]:
    """Returns the settings that choose leads: ingest.column for one, ingest.leads for several."""
    import json

    if leads is None:
        return []
    one = isinstance(leads, (str, int))
    positions = [names.index(lead) if names and lead in names else lead for lead in ([leads] if one else leads)]
    if names and any(isinstance(lead, str) for lead in positions):
        raise UsageError(f"leads: {leads!r} is not among the columns {names}")
    return [f"ingest.column={json.dumps(positions[0])}" if one else f"ingest.leads={json.dumps(positions)}"]


def _settings(options: dict[str, Any]) -> list[str]:
    """Turns keyword arguments into settings: detect_keep=0.3 becomes detect.keep=0.3."""
    import json

    return [f"{key if key in WITHOUT_SECTION else key.replace('_', '.', 1)}={json.dumps(value)}" for key, value in options.items()]
