"""The autoencoder of a result's model.safetensors as a PyTorch module with the same parameter names.

    model, config = beatscan.model.load("out/example/model.safetensors")
    mean, log_variance = model.encode(rows)     # rows [B, D], as in embed_beats or arrays/embeddings.npy
    decoded = model.decode(mean)                # [B, D]

Needs PyTorch, of any version.
"""
from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatscan.errors import needed

if TYPE_CHECKING:
    import torch

    from beatscan.autoencoder import Vae


def read_safetensors(path: str | Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Returns the tensors by name and the metadata, like safetensors.torch.load_file and safe_open, without that
    package."""
    torch = needed("torch", "models need")
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        if entry["dtype"] != "F32":
            raise ValueError(f"{path}: {name} is of type {entry['dtype']}; beatscan writes F32")
        tensors[name] = torch.frombuffer(data[first:last], dtype=torch.float32).view(entry["shape"])
    return tensors, metadata


def load(path: str | Path) -> tuple[Vae, dict[str, Any]]:
    """Returns the module with its parameters, and the configuration of the run that made it.

    Args:
        path: the model.safetensors of a result

    Raises:
        beatscan.errors.UsageError: there is no PyTorch
    """
    tensors, metadata = read_safetensors(path)
    from beatscan.autoencoder import Vae  # needs PyTorch, which is there by now

    config = json.loads(metadata["config"])
    rows = config["embed"]["row_points"] if config["method"] == "published" else config["rows"]["points"]
    model = Vae(config["vae"]["channels"], config["vae"]["latents"], rows)
    model.load_state_dict(tensors, strict=True)
    return model.eval(), config
