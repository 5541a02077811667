"""Locates the program and its libraries, and implements the command `beatscan`, which starts the program."""
import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("BEATSCAN_BUILD", HERE.parents[2] / "build"))  # of a checkout, where no wheel was installed
TORCH, CUDA = "2.11", "13"  # versions whose libraries the program is linked with


def path() -> Path:
    """Returns the path of the program."""
    installed = HERE / "bin" / "beatscan"
    return installed if installed.exists() else BUILD / "beatscan"


def library(name: str) -> Path:
    """Returns the path of a library that comes with the program, such as libbeatscan_ops.so."""
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


def problem_of_torch(folder):
    """Returns why a PyTorch is incompatible with this program; an empty string if it is compatible."""
    text = (folder / "version.py").read_text()
    found = dict(re.findall(r"^(__version__|cuda)\b.*?= '?([^'\s]*)", text, re.MULTILINE))
    version, cuda = found.get("__version__", "?"), found.get("cuda", "None")
    if not version.startswith(TORCH + ".") or cuda.split(".")[0] != CUDA:
        return f"{folder} is PyTorch {version} with CUDA {cuda}"
    return ""


def environment():
    """Returns the environment for the program. The program finds PyTorch's libraries in the folders beside this
    package. If PyTorch is elsewhere, LD_LIBRARY_PATH points to it. Raises RuntimeError if there is no compatible
    one."""
    torch = folders_of("torch")
    problem = problem_of_torch(torch[0]) if torch else "there is no PyTorch"
    if problem:
        raise RuntimeError(f"{problem}; beatscan needs {TORCH} with CUDA {CUDA}, which PyPI has and which runs without "
                           f"a GPU, too: {sys.executable} -m pip install --force-reinstall 'torch=={TORCH}.*'")
    if torch[0].parent == HERE.parent:
        return os.environ
    nvidia = [folder / f"cu{CUDA}" / "lib" for folder in folders_of("nvidia")]
    folders = [torch[0] / "lib", *nvidia, *folders_of("pyarrow")]
    before = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*map(str, folders), *([before] if before else [])])}


def command():
    """Returns the program's name for its help: `beatscan` if the shell finds it by that name, or its path."""
    given = sys.argv[0]
    found = shutil.which("beatscan")
    return "beatscan" if given.endswith("__main__.py") or found and os.path.samefile(found, given) else given


def main():
    """The command `beatscan`: replaces this process by the program."""
    try:
        os.execve(path(), [command(), *sys.argv[1:]], environment())
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
