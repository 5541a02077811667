"""Locates the program and its libraries, and implements the command `beatscan`, which starts the program."""
import importlib.util
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("BEATSCAN_BUILD", HERE.parents[2] / "build"))  # of a checkout, where no wheel was installed


def path() -> Path:
    """Returns the path of the program."""
    installed = HERE / "bin" / "beatscan"
    return installed if installed.exists() else BUILD / "beatscan"


def library(name: str) -> Path:
    """Returns the path of a library that comes with the program, such as libbeatscan_embedded.so."""
    installed = HERE / "lib" / name
    return installed if installed.exists() else BUILD / name


def example() -> Path:
    """Returns the path of an example recording: half an hour at 360 Hz with ventricular beats, record 205 of the
    MIT-BIH Arrhythmia Database. README.md beside it states its source and licence."""
    installed = HERE / "data" / "mitdb_205.csv"
    return installed if installed.exists() else HERE.parents[2] / "data" / "mitdb_205.csv"


def folders_of(package):
    """Returns the folders of a Python package without importing it."""
    spec = importlib.util.find_spec(package)
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []


def environment(words=""):
    """Returns the environment for the program, which needs PyTorch's libraries for vae.engine=autograd alone. It finds
    them, NVIDIA's and Arrow's in the folders beside this package; if they are elsewhere, LD_LIBRARY_PATH points to them.
    `words` are the program's arguments (autograd.py)."""
    from beatscan import autograd

    changed = autograd.environment(words)
    known = {name: value for name, value in os.environ.items() if name not in autograd.VARIABLES}  # of another environment
    torch = [] if changed else [folder / "lib" for folder in folders_of("torch")]
    nvidia = [folder / f"cu{autograd.CUDA}" / "lib" for folder in folders_of("nvidia")]
    folders = [folder for folder in (*torch, *nvidia, *folders_of("pyarrow")) if HERE.parent not in folder.parents]
    if folders:
        before = os.environ.get("LD_LIBRARY_PATH")
        changed["LD_LIBRARY_PATH"] = ":".join([*map(str, folders), *([before] if before else [])])
    return {**known, **changed}


def command():
    """Returns the program's name for its help: `beatscan` if the shell finds it by that name, or its path."""
    given = sys.argv[0]
    found = shutil.which("beatscan")
    return "beatscan" if given.endswith("__main__.py") or found and os.path.samefile(found, given) else given


def main():
    """The command `beatscan`: replaces this process by the program."""
    try:
        os.execve(path(), [command(), *sys.argv[1:]], environment(" ".join(sys.argv[1:])))
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
