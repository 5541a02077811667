"""The stages as PyTorch operators: `ops = beatscan.operators.load()`, then `ops.find_beats(x, 360.0)`.

Needs the PyTorch version that the library was built with (2.11), on Linux x86-64.
"""
from typing import Any

from beatscan import errors, program

torch = errors.needed("torch", "operators", "==2.11.*")

QUALITY = ("good", "flat", "clipped", "noisy", "missing")  # meanings of the numbers in `quality` and `blocks`


def load(library: Any = None) -> Any:
    """Loads the operators and returns their namespace, torch.ops.beatscan. `library` is the path of libbeatscan_ops.so;
    by default that of the installed program."""
    library = library or program.library("libbeatscan_ops.so")
    known = hasattr(torch.ops.beatscan, "find_beats")
    if not known:
        torch.ops.load_library(str(library))
        register_shapes()
    return torch.ops.beatscan


def register_shapes():
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
