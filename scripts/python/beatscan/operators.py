"""The stages as PyTorch operators: `ops = beatscan.operators.load()`, then `ops.find_beats(x, 360.0)`.

Any PyTorch from 2.8 on will do. The operators are declared to it in Python, over the functions of
libbeatscan_embedded.so (app/python/embedded/stages.h), which is not linked with PyTorch: they exchange pointers.
"""
from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import re
import threading
from typing import Any

from beatscan import embedded, program
from beatscan.errors import UsageError, needed

QUALITY = ("good", "flat", "clipped", "noisy", "missing")  # meanings of the numbers in `quality` and `blocks`
OLDEST = (2, 8)  # version of PyTorch
LOADING = threading.Lock()
KEPT: list[Any] = []  # what has to live as long as the operators: their library, and functions that C++ calls


def load() -> Any:
    """Declares the operators to PyTorch and returns their namespace, torch.ops.beatscan.

    Raises:
        beatscan.errors.UsageError: there is no PyTorch, or one before 2.8
        beatscan.errors.InternalError: libbeatscan_embedded.so cannot be loaded
    """
    torch = needed("torch", "operators need", ">=2.8")
    version = tuple(map(int, re.findall(r"\d+", torch.__version__)[:2]))
    if version < OLDEST:
        raise UsageError(f"operators need PyTorch 2.8 or later, and this is {torch.__version__}: "
                         f"{program.sys.executable} -m pip install 'torch>=2.8'")
    with LOADING:
        if not KEPT:
            _declare(torch)
    return torch.ops.beatscan


def _declare(torch: Any) -> None:
    library = _library()
    known = json.loads(library.beatscan_operators())
    operators = torch.library.Library("beatscan", "DEF")
    keys, kept = ["CPU"], [operators]
    if known["cuda"] and torch.version.cuda:
        keys.append("CUDA")
        kept += _lend_memory(torch, library)
    for schema in known["operators"]:
        name = schema[:schema.index("(")]
        operators.define(schema)
        for key in keys:
            operators.impl(name, _Operator(torch, library, name), key)
    _register_shapes(torch, operators, _Operator(torch, library, "ricker_response"))
    KEPT.extend(kept)


# The C interface --------------------------------------------------------------------------------------------------------

class _Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("sizes", ctypes.c_int64 * 4),
                ("dimensions", ctypes.c_int32), ("type", ctypes.c_int32)]


class _Place(ctypes.Structure):
    _fields_ = [("device", ctypes.c_int32), ("threads", ctypes.c_int32), ("stream", ctypes.c_void_p)]


TYPES = ("float32", "float64", "int64", "uint8", "bool")  # in the order of their numbers
MOST_RESULTS = 32
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
DEALLOCATE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
USED_BYTES = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int)


def _library() -> ctypes.CDLL:
    library = embedded.library()
    library.beatscan_operators.restype = ctypes.c_char_p
    library.beatscan_operate.argtypes = [
        ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(_Array), ctypes.c_int32, ctypes.POINTER(_Place),
        ctypes.POINTER(_Array), ctypes.POINTER(ctypes.c_int32), ctypes.c_char_p, ctypes.c_size_t]
    library.beatscan_free.argtypes = [ctypes.c_void_p]
    library.beatscan_free.restype = None
    library.beatscan_use_allocator.argtypes = [ALLOCATE, DEALLOCATE, USED_BYTES]
    library.beatscan_use_allocator.restype = None
    return library


class _HostMemory:
    """Memory of a result, which NumPy reads and this object frees."""

    def __init__(self, library: ctypes.CDLL, data: int, bytes_: int):
        self.free, self.data = library.beatscan_free, data
        self.__array_interface__ = {"data": (data, False), "shape": (bytes_,), "typestr": "|u1", "version": 3}

    def __del__(self) -> None:
        self.free(self.data)


DEVICE_MEMORY: dict[int, Any] = {}  # the tensors whose memory the library has, by address


def _lend_memory(torch: Any, library: ctypes.CDLL) -> list[Any]:
    """Gives the library memory of PyTorch's allocator. Returns the functions that it calls, from any thread."""

    def allocate(bytes_: int, device: int, stream: int | None) -> int | None:
        other = torch.cuda.current_stream(device).cuda_stream != (stream or 0)  # in threads of the library
        try:
            with torch.cuda.stream(torch.cuda.ExternalStream(stream or 0, device=device)) if other else contextlib.nullcontext():
                memory = torch.empty(bytes_, dtype=torch.uint8, device=torch.device("cuda", device))
        except torch.cuda.OutOfMemoryError:
            return None
        DEVICE_MEMORY[memory.data_ptr()] = memory
        return memory.data_ptr()

    def deallocate(memory: int) -> None:
        del DEVICE_MEMORY[memory]

    functions = [ALLOCATE(allocate), DEALLOCATE(deallocate), USED_BYTES(torch.cuda.memory_allocated)]
    library.beatscan_use_allocator(*functions)
    return functions


# Operators --------------------------------------------------------------------------------------------------------------

class _Operator:
    """An operator as PyTorch calls it. Invalid arguments are a ValueError, every other error is a RuntimeError."""

    def __init__(self, torch: Any, library: ctypes.CDLL, name: str):
        self.torch, self.library, self.name = torch, library, name
        self.types = [getattr(torch, type_) for type_ in TYPES]
        self.needed = {"x": torch.float32, "r_peaks": torch.float64, "blocks": torch.uint8}

    def __call__(self, *positional: Any, **options: Any) -> Any:
        name, _, overload = self.name.partition(".")
        schema = getattr(getattr(self.torch.ops.beatscan, name), overload or "default")._schema
        given = {argument.name: value for argument, value in zip(schema.arguments, positional)}
        given.update(options)
        arrays = {}
        for key, value in list(given.items()):
            if self.torch.is_tensor(value):
                arrays[key] = self._checked(key, given.pop(key), arrays.get("x"))
        for key, value in (given.pop("parameters", None) or {}).items():
            arrays[f"parameters.{key}"] = value.detach().to("cpu", self.torch.float32).contiguous()
        results = self._run(given, arrays, arrays["x"].device)
        if schema.returns[0].type.kind() == "DictType":
            return results
        return tuple(results.values()) if len(results) > 1 else next(iter(results.values()))

    def response_type(self, given: dict[str, Any]) -> Any:
        """Returns the type of ricker_response's result."""
        return self.types[self._call(given, [_Array(b"x")], _Place(-1))[0].type]

    def _checked(self, name: str, tensor: Any, x: Any) -> Any:
        def type_name(type_: Any) -> str:
            return self.torch.empty(0, dtype=type_).type().split(".")[-1][:-len("Tensor")]

        if x is not None and tensor.device != x.device:
            raise ValueError(f"{name}: is on {tensor.device}, and x on {x.device}")
        if tensor.dtype != self.needed[name]:
            raise ValueError(f"{name}: is of {type_name(tensor.dtype)}; .to() makes it {type_name(self.needed[name])}")
        if name == "x" and tensor.numel() == 0:
            raise ValueError(f"{name}: has no values")
        if not tensor.is_contiguous():
            raise ValueError(f"{name}: is not contiguous; .contiguous() makes it so")
        if tensor.is_neg():
            raise ValueError(f"{name}: is a lazy negative; .resolve_neg() makes it whole")
        return tensor

    def _run(self, given: dict[str, Any], tensors: dict[str, Any], device: Any) -> dict[str, Any]:
        arrays = [_Array(name.encode(), tensor.data_ptr(), (ctypes.c_int64 * 4)(*itertools.islice(tensor.shape, 4)), tensor.dim(),
                         self.types.index(tensor.dtype)) for name, tensor in tensors.items()]
        if device.type == "cpu":
            results = self._call(given, arrays, _Place(-1, self.torch.get_num_threads()))
        else:
            with self.torch.cuda.device(device):
                stream = self.torch.cuda.current_stream().cuda_stream
                results = self._call(given, arrays, _Place(device.index, self.torch.get_num_threads(), stream))
        return {result.name.decode(): self._tensor(result, device) for result in results}

    def _call(self, given: dict[str, Any], arrays: list[_Array], place: _Place) -> list[_Array]:
        arguments = {name: value for name, value in given.items() if value is not None}
        for name, value in arguments.items():
            if isinstance(value, float) and value - value != 0:
                raise ValueError(f"{name}: is {value}; give a finite number")
        results, count = (_Array * MOST_RESULTS)(), ctypes.c_int32(MOST_RESULTS)
        message = ctypes.create_string_buffer(4096)
        status = self.library.beatscan_operate(
            self.name.encode(), json.dumps(arguments).encode(), (_Array * len(arrays))(*arrays), len(arrays), place, results,
            count, message, len(message))
        if status:
            text = message.value.decode(errors="replace")
            raise ValueError(text) if status in (2, 3) else RuntimeError(text)
        return results[:count.value]

    def _tensor(self, result: _Array, device: Any) -> Any:
        type_, sizes = self.types[result.type], result.sizes[:result.dimensions]
        tensor, count = self.torch.empty(0, dtype=type_, device=device), 1
        for size in sizes:
            count *= size
        if device.type == "cpu":
            import numpy

            bytes_ = numpy.asarray(_HostMemory(self.library, result.data, count * tensor.element_size()))
            memory = self.torch.from_numpy(bytes_)
        else:
            memory = DEVICE_MEMORY.pop(result.data)
        strides = [1] * len(sizes)
        for i in range(len(sizes) - 1, 0, -1):
            strides[i - 1] = strides[i] * max(sizes[i], 1)
        return tensor.set_(memory.untyped_storage(), 0, sizes, strides)


def _register_shapes(torch: Any, operators: Any, ricker_response: _Operator) -> None:
    """Registers the shapes of the results with torch.compile and torch.export. The number of beats is known only after
    detection."""

    @torch.library.register_fake("beatscan::ricker_response", lib=operators)
    def _(x, rate_hz=None, **options):
        return x.new_empty(x.shape, dtype=ricker_response.response_type(options))

    @torch.library.register_fake("beatscan::find_beats", lib=operators)
    def _(x, rate_hz=None, **options):
        beats = torch.library.get_ctx().new_dynamic_size()
        blocks = torch.library.get_ctx().new_dynamic_size()
        return (x.new_empty(beats, dtype=torch.float64), x.new_empty(beats, dtype=torch.uint8),
                x.new_empty(*x.shape[:-1], blocks, dtype=torch.uint8))

    @torch.library.register_fake("beatscan::embed_beats", lib=operators)
    def _(x, r_peaks, rate_hz=None, blocks=None, **options):
        rows, points = (torch.library.get_ctx().new_dynamic_size() for _ in range(2))
        leads = x.shape[:-1]  # () or (L,)
        return (x.new_empty(*leads, rows, points), x.new_empty(rows, dtype=torch.int64),
                x.new_empty(*leads, 2, points))
