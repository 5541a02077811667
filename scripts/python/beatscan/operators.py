"""The stages as PyTorch operators: `ops = beatscan.operators.load()`, then `ops.find_beats(x, 360.0)`.

Needs the version of PyTorch that the library was linked with: 2.11, with CUDA 13 where the library is for GPUs. Python
3.10 is the oldest that has it.
"""
from __future__ import annotations

from typing import Any

from beatscan import program
from beatscan.errors import UsageError, needed

QUALITY = ("good", "flat", "clipped", "noisy", "missing")  # meanings of the numbers in `quality` and `blocks`


def load(library: Any = None) -> Any:
    """Loads the operators and returns their namespace, torch.ops.beatscan. `library` is the path of libbeatscan_ops.so;
    by default that of the installed program.

    Raises:
        beatscan.errors.UsageError: there is no PyTorch, or one of another version
        OSError: the library cannot be loaded for another reason
    """
    torch = needed("torch", "operators need", "==2.11.*")
    library = library or program.library("libbeatscan_ops.so")
    known = hasattr(torch.ops.beatscan, "find_beats")
    if not known:
        try:
            torch.ops.load_library(str(library))
        except OSError as error:
            problem = program.problem_of_torch()
            if not problem:
                raise
            raise UsageError(problem) from error
        register_shapes(torch)
    return torch.ops.beatscan


def register_shapes(torch):
    """Registers the shapes of the results with torch.compile and torch.export. The number of beats is known only after
    detection."""

    @torch.library.register_fake("beatscan::find_beats")
    def _(x, rate_hz=None, **options):
        beats = torch.library.get_ctx().new_dynamic_size()
        blocks = torch.library.get_ctx().new_dynamic_size()
        return (x.new_empty(beats, dtype=torch.float64), x.new_empty(beats, dtype=torch.uint8),
                x.new_empty(*x.shape[:-1], blocks, dtype=torch.uint8))

    @torch.library.register_fake("beatscan::embed_beats")
    def _(x, r_peaks, rate_hz=None, blocks=None, **options):
        rows, points = (torch.library.get_ctx().new_dynamic_size() for _ in range(2))
        leads = x.shape[:-1]  # () or (L,)
        return (x.new_empty(*leads, rows, points), x.new_empty(rows, dtype=torch.int64),
                x.new_empty(*leads, 2, points))
