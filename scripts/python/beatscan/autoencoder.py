"""The autoencoder as a PyTorch module. beatscan.model loads it, because importing this module needs PyTorch."""
from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import interpolate, pad


class Swish(nn.Module):
    """x sigmoid(alpha x)"""

    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x * torch.sigmoid(self.alpha * x)


def blur_and_halve(x):
    """Filters every channel [.., .., T] by [1 2 1] with stride 2; values beyond the ends are zeros."""
    before = pad(x, (1, 0))[..., :-1]
    after = pad(x, (0, 1))[..., 1:]
    return (before + 2 * x + after)[..., ::2]


class Vae(nn.Module):
    def __init__(self, channels, latents, points):
        super().__init__()
        self.depth, self.last_channels = len(channels), channels[-1] // 2
        encoder = [1, *channels]
        decoder = [channels[-1] // 2 ** (i + 1) for i in range(self.depth)] + [1]
        for i in range(self.depth):
            self.add_module(f"conv{i}", nn.Conv1d(encoder[i], encoder[i + 1], 3, padding=1))
        self.convA = nn.Conv1d(channels[-1], latents, 3, padding=1)
        self.convB = nn.Conv1d(channels[-1], latents, 3, padding=1)
        self.restore = nn.Linear(latents, self.last_channels * (points >> self.depth))
        for i in range(self.depth):
            self.add_module(f"conv{self.depth + i}", nn.Conv1d(decoder[i], decoder[i + 1], 3, padding=1))
        self.sigma = Swish()

    def encode(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = rows.unsqueeze(1)
        for i in range(self.depth):
            x = blur_and_halve(self.sigma(self.get_submodule(f"conv{i}")(x)))
        return self.convA(x).mean(2), self.convB(x).mean(2)

    def decode(self, latents: torch.Tensor) -> torch.Tensor:
        x = self.restore(latents).view(len(latents), self.last_channels, -1)
        for i in range(self.depth):
            x = self.get_submodule(f"conv{self.depth + i}")(interpolate(x, scale_factor=2, mode="nearest"))
            if i + 1 < self.depth:
                x = self.sigma(x)
        return x.squeeze(1)

    def forward(self, rows):
        return self.decode(self.encode(rows)[0])
