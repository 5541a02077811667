"""Compiles the part of the program that needs LibTorch for the PyTorch in this environment: `python -m beatscan.autograd`.

It is libbeatscan_vae.so: vae.engine=autograd, and models of other topologies than the default. The package contains it
for one version of PyTorch, because LibTorch's C++ interface is another one in each. For every other version the sources
in the package are compiled at first use, which takes half a minute and needs a C++ compiler. The result stays in the
user's cache folder.
"""
from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from beatscan import program

OLDEST = (2, 8)
INCLUDED, CUDA = "2.11", "13"  # versions of PyTorch and CUDA that the program's own libbeatscan_vae.so is for
# Settings of a run that need it, in a command line or in the arguments of analyse().
NEEDED_BY = re.compile(r"autograd|vae\.(channels|latents)|rows\.points|embed\.row_points")
VARIABLES = ("BEATSCAN_NO_LIBTORCH", "BEATSCAN_VAE_LIBRARY", "BEATSCAN_LIBTORCH_VERSION")  # of environment()
CPU_FILES = ("vae_engine", "vae_library", "vae_module", "vae_score")


class PyTorch:
    """A PyTorch, which is found without importing it."""

    def __init__(self, folder: Path):
        self.folder = folder
        found = dict(re.findall(r"^(__version__|cuda)\b.*?= '?([^'\s]*)", (folder / "version.py").read_text(), re.MULTILINE))
        self.version, self.cuda = found.get("__version__", "0"), found.get("cuda", "None")

    def __str__(self) -> str:
        return f"{self.folder} is PyTorch {self.version}" + (f" with CUDA {self.cuda}" if self.for_gpus else " for the CPU")

    @property
    def for_gpus(self) -> bool:
        return self.cuda != "None"

    @property
    def is_included(self) -> bool:
        """Whether the program's own library is for this version."""
        own, own_for_gpus = map(program.library, ("libbeatscan_vae.so", "libbeatscan_vae_cuda.so"))
        return own.exists() and self.version.startswith(INCLUDED + ".") and (
            self.cuda.split(".")[0] == CUDA or not own_for_gpus.exists())

    @property
    def is_too_old(self) -> bool:
        return tuple(map(int, re.findall(r"\d+", self.version)[:2])) < OLDEST

    def library(self) -> Path:
        """Returns where the library that is compiled for this version is kept."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        known = hashlib.sha256(f"{self.folder} {self.version} {self.cuda}".encode())
        for folder in ("kernels", "stages"):
            for file in sorted((_sources() / folder).rglob("*.[ch]*")):
                known.update(file.read_bytes())
        return cache / "beatscan" / f"torch-{self.version}-{known.hexdigest()[:16]}" / "libbeatscan_vae.so"


def _sources() -> Path:
    """Returns the folder with the sources, of which `stages/model/torch` is compiled."""
    installed = program.HERE / "sources"
    return installed if installed.exists() else program.HERE.parents[2]


def installed() -> PyTorch | None:
    folders = program.folders_of("torch")
    return PyTorch(folders[0]) if folders and (folders[0] / "version.py").exists() else None


def environment(words: str) -> dict[str, str]:
    """Returns the variables that name the program the library for the PyTorch here, or why there is none. Compiles it if
    it is missing, and `words`, the arguments of a run, need it."""
    torch, advice = installed(), f"{sys.executable} -m pip install 'torch>={'.'.join(map(str, OLDEST))}'"
    if not torch:
        return {"BEATSCAN_NO_LIBTORCH": f"there is no PyTorch; this needs it: {advice}"}
    if torch.is_included:
        return {}
    if torch.is_too_old:
        return {"BEATSCAN_NO_LIBTORCH": f"{torch}; this needs 2.8 or later: {advice}"}
    if not torch.library().exists():
        if not NEEDED_BY.search(words):
            return {"BEATSCAN_NO_LIBTORCH": f"{torch}, for which autograd is not compiled yet: "
                                            f"{sys.executable} -m beatscan.autograd does it once"}
        try:
            compile_for(torch)
        except (OSError, RuntimeError) as error:
            return {"BEATSCAN_NO_LIBTORCH": str(error)}
    return {"BEATSCAN_VAE_LIBRARY": str(torch.library()), "BEATSCAN_LIBTORCH_VERSION": torch.version}


def compile_for(torch: PyTorch) -> Path:
    """Compiles the library for a PyTorch, and returns its path. Raises RuntimeError if there is no compiler, or it fails."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX") or "c++", "g++", "clang++"))), None)
    if not compiler:
        raise RuntimeError(f"{torch}, for which autograd must be compiled; install g++ or clang++, or PyTorch {INCLUDED} with "
                           f"CUDA {CUDA}: {sys.executable} -m pip install 'torch=={INCLUDED}.*'")
    print(f"beatscan: compiling autograd for PyTorch {torch.version}, once; this takes half a minute", file=sys.stderr)
    target = torch.library()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        parts = [(target.name, CPU_FILES, ["-ltorch_cpu", "-lc10"] + ["-lc10_cuda"] * torch.for_gpus)]
        if torch.for_gpus:
            parts.append(("libbeatscan_vae_cuda.so", ("cuda/lent_memory",), [
                "-Wl,--no-as-needed", "-ltorch_cuda", "-Wl,--as-needed", "-ltorch_cpu", "-lc10", "-lc10_cuda"]))
        for name, files, libraries in reversed(parts):  # the first one last: it says that all is there
            _run(torch, _command(torch, compiler, Path(folder, name), libraries), files)
            os.replace(Path(folder, name), target.parent / name)
    return target


def _compatible(compiler: str) -> list[str]:
    """Returns the options for names of templates as GCC gives them, which compiled PyTorch."""
    version = subprocess.run([compiler, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             check=False).stdout
    clang = re.search(r"clang version (\d+)", version)
    return ["-fclang-abi-compat=17"] if clang and int(clang[1]) >= 18 else []


def _command(torch: PyTorch, compiler: str, target: Path, libraries: list[str]) -> list[str]:
    own, of_torch = program.library("libbeatscan_kernels.so").parent, torch.folder / "lib"
    include = torch.folder / "include"
    nvidia = [path.parent for folder in program.folders_of("nvidia") for path in sorted(folder.glob("*/include/cuda_runtime_api.h"))]
    toolkits = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"]
    system = [include, include / "torch/csrc/api/include", *(nvidia or toolkits) * torch.for_gpus]
    return [compiler, "-std=c++20", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-w", *_compatible(compiler), f"-I{_sources()}",
            *["-DBEATSCAN_WITH_CUDA"] * torch.for_gpus, *(f"-isystem{folder}" for folder in system),
            "-x", "c++", "-", "-o", str(target), f"-L{own}", "-lbeatscan_kernels", f"-L{of_torch}", *libraries,
            *(f"-Wl,-rpath,{folder}" for folder in ("$ORIGIN", own, of_torch))]


def _run(torch: PyTorch, command: list[str], files: tuple[str, ...]) -> None:
    text = "".join(f'#include "stages/model/torch/{file}.cpp"\n' for file in files)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()[-1:]
        raise RuntimeError(f"{torch}, for which autograd cannot be compiled by {command[0]}: {' '.join(errors[:1])}; "
                           f"PyTorch {INCLUDED} with CUDA {CUDA} works without a compiler")


def main() -> int:
    torch = installed()
    if not torch or torch.is_too_old or torch.is_included:
        print(environment("").get("BEATSCAN_NO_LIBTORCH", f"{torch}, for which the program's own library is"))
        return int(not (torch and torch.is_included))
    try:
        print(compile_for(torch))
    except (OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
