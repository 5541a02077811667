"""beatscan finds abnormal beats in long ECG and ranks them. This package contains the program and its Python interface.

    import beatscan
    result = beatscan.analyse(beatscan.example(), rate_hz=360)  # or your file, array or table
    result.beats, result.abnormal, result.waves, result.plot_strip(12.5)
    waves = beatscan.delineate(x, rate_hz=500)                  # only P, QRS and T waves
    ops = beatscan.operators.load()                             # the stages as operators of PyTorch
    model, config = beatscan.model.load("model.safetensors")    # a result's model as a PyTorch module
    beatscan.program.path()                                     # the program `beatscan`

It needs NumPy. Tables (result.beats, .abnormal, .waves) need pandas, plot_strip() matplotlib, and
model.load(), delineate() and operators.load() PyTorch 2.8 or later: the package's extras `tables`, `plot` and `torch`. If
one is missing, a UsageError has the command that installs it.
"""
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers, which do not see what __getattr__ loads
    from beatscan import analysis, autograd, delineation, embedded, errors, model, operators, program, result, samples
    from beatscan.analysis import analyse, analyze, score
    from beatscan.delineation import delineate
    from beatscan.errors import Error
    from beatscan.program import example
    from beatscan.result import Result, read

    __version__: str

__all__ = ["analyse", "analyze", "score", "delineate", "read", "Result", "Error", "example", "analysis", "autograd",
           "delineation", "embedded", "errors", "model", "operators", "program", "result", "samples"]

# The package's names, each in its own module. A module is loaded on first use: PyTorch takes a second to load, and the
# command `beatscan` does not need it in Python.
MODULES = ("analysis", "autograd", "delineation", "embedded", "errors", "model", "operators", "program", "result", "samples")
# Functions and classes exported by the package, and their modules.
NAMES = {"analyse": "analysis", "analyze": "analysis", "score": "analysis", "delineate": "delineation", "read": "result",
         "Result": "result", "Error": "errors", "example": "program"}


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in NAMES:
        return getattr(importlib.import_module(f"{__name__}.{NAMES[name]}"), name)
    if name == "__version__":
        return _version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version() -> str:
    """Returns the version of the installed package. A checkout has none, so the attribute does not exist."""
    metadata = importlib.import_module("importlib.metadata")
    try:
        return metadata.version(__name__)
    except metadata.PackageNotFoundError:
        raise AttributeError("the package is not installed, so its version is unknown") from None


def __dir__() -> list[str]:
    return [*MODULES, *NAMES, "__version__"]
