"""The net: layers, concurrent training of several nets, inference, weights."""
from collections import namedtuple

import numpy as np
import torch
import torch.nn.functional as F

Layer = namedtuple("Layer", "name source inputs outputs kernel stride dilation")
SIZES = {"XXS": (6, 8, 10, 12), "XS": (8, 12, 16, 20), "S": (12, 20, 28, 36)}
NORM_EPSILON = 1e-4


def layers(size):
    """Returns the layers. Source `a^+b`: a with every value twice, then b as further channels."""
    a, b, c, d = size
    return [Layer("stem", "input", 2, a, 9, 2, 1), Layer("e1", "stem", a, a, 5, 1, 1),
            Layer("d2", "e1", a, b, 5, 2, 1), Layer("e2", "d2", b, b, 5, 1, 1),
            Layer("d3", "e2", b, c, 5, 2, 1), Layer("e3", "d3", c, c, 5, 1, 1),
            Layer("d4", "e3", c, d, 5, 2, 1), Layer("m1", "d4", d, d, 5, 1, 1), Layer("m2", "m1", d, d, 5, 1, 2),
            Layer("u3", "m2^+e3", d + c, c, 3, 1, 1), Layer("u2", "u3^+e2", c + b, b, 3, 1, 1),
            Layer("u1", "u2^+e1", b + a, a, 3, 1, 1), Layer("out", "u1", a, 6, 3, 1, 1)]


def twice(x):
    return x.unsqueeze(-1).expand(*x.shape, 2).reshape(*x.shape[:-1], 2 * x.shape[-1])


def forward(spec, convolve, x):
    """Runs the layers with convolve(layer, x), channels being axis 1. Returns the output of the last one."""
    values = {"input": x}
    for layer in spec:
        up, _, skip = layer.source.partition("^+")
        source = torch.cat([twice(values[up]), values[skip]], dim=1) if skip else values[up]
        values[layer.name] = convolve(layer, source)
    return values["out"]


class Nets(torch.nn.Module):
    """K nets of one architecture, trained concurrently. Activations are [K, channels, windows, values]."""

    def __init__(self, size, count):
        super().__init__()
        self.spec, self.count = layers(size), count
        self.weight, self.shift, self.scale = (torch.nn.ParameterDict() for _ in range(3))
        for layer in self.spec:
            fan = layer.inputs * layer.kernel
            gain = (0.3 if layer.name == "out" else 1) * (2 / fan) ** 0.5
            self.weight[layer.name] = torch.nn.Parameter(torch.randn(count, layer.outputs, fan) * gain)
            start = torch.full((count, layer.outputs), -1.0 if layer.name == "out" else 0.0)
            self.shift[layer.name] = torch.nn.Parameter(start)
            if layer.name != "out":
                self.scale[layer.name] = torch.nn.Parameter(torch.ones(count, layer.outputs))
                self.register_buffer("mean_" + layer.name, torch.zeros(count, layer.outputs))
                self.register_buffer("variance_" + layer.name, torch.ones(count, layer.outputs))

    def convolve(self, layer, x):
        name, kernel, stride, dilation = layer.name, layer.kernel, layer.stride, layer.dilation
        pad = (kernel - 1) * dilation // 2
        length = (x.shape[-1] + stride - 1) // stride
        x = F.pad(x, (pad, pad))
        if dilation == 1:
            columns = x.unfold(-1, kernel, stride).permute(0, 1, 4, 2, 3)
        else:
            columns = torch.stack([x[..., k * dilation:k * dilation + length] for k in range(kernel)], dim=2)
        columns = columns.reshape(self.count, layer.inputs * kernel, -1)
        y = torch.bmm(self.weight[name], columns).view(self.count, layer.outputs, x.shape[2], length)
        if name == "out":
            return y + self.shift[name][:, :, None, None]
        mean, variance = y.mean((2, 3)), y.var((2, 3), unbiased=False)
        with torch.no_grad():
            getattr(self, "mean_" + name).lerp_(mean, 0.02)
            getattr(self, "variance_" + name).lerp_(variance, 0.02)
        factor = self.scale[name] / (variance + NORM_EPSILON).sqrt()
        return F.relu(y * factor[:, :, None, None] + (self.shift[name] - mean * factor)[:, :, None, None])

    def forward(self, x):
        """x [K, 2, windows, 320]. Returns the logits [K, 3, windows, 320]."""
        y = forward(self.spec, self.convolve, x)
        windows, length = y.shape[2:]
        return y.view(self.count, 3, 2, windows, length).permute(0, 1, 3, 4, 2).reshape(self.count, 3, windows, -1)

    @torch.no_grad()
    def folded(self):
        """Returns the weights with batch normalisation folded: K dicts of name to (w [out, in, kernel], b [out])."""
        nets = [{} for _ in range(self.count)]
        for layer in self.spec:
            name = layer.name
            w, b = self.weight[name].view(self.count, layer.outputs, layer.inputs, layer.kernel), self.shift[name]
            if name != "out":
                factor = self.scale[name] / (getattr(self, "variance_" + name) + NORM_EPSILON).sqrt()
                w, b = w * factor[:, :, None, None], b - getattr(self, "mean_" + name) * factor
            for k, net in enumerate(nets):
                net[name] = (w[k].cpu().numpy().astype(np.float32), b[k].cpu().numpy().astype(np.float32))
        return nets


@torch.no_grad()
def probabilities(size, weights, x, device="cpu", dtype=torch.float32):
    """Returns the masks [..., 3, 320] of inputs [..., 2, 320] by one net's folded weights."""
    tensors = {name: [torch.tensor(v, device=device, dtype=dtype) for v in pair] for name, pair in weights.items()}

    def convolve(layer, source):
        w, b = tensors[layer.name]
        y = F.conv1d(source, w, b, layer.stride, (layer.kernel - 1) * layer.dilation // 2, layer.dilation)
        return y if layer.name == "out" else F.relu(y)

    flat, spec, out = x.reshape(-1, *x.shape[-2:]), layers(size), []
    for first in range(0, len(flat), 4096):
        y = forward(spec, convolve, torch.from_numpy(flat[first:first + 4096]).to(device, dtype))
        y = torch.sigmoid(y.view(len(y), 3, 2, -1).permute(0, 1, 3, 2).reshape(len(y), 3, -1))
        out.append(y.cpu().numpy())
    if not out:
        return np.zeros((*x.shape[:-2], 3, x.shape[-1]), np.float32)
    return np.concatenate(out).reshape(*x.shape[:-2], 3, x.shape[-1])


def size_of(text):
    """Returns the channels of XXS, XS, S or of four numbers."""
    size = SIZES.get(text) or tuple(int(number) for number in text.split(","))
    if len(size) != 4 or min(size) < 1:
        raise ValueError(f"{text}: not XXS, XS, S or four numbers of channels")
    return size


def flat_weights(size, weights):
    """Returns all weights in one array: a layer's w [out, in, kernel] and b [out], layer after layer."""
    return np.concatenate([part.ravel() for layer in layers(size) for part in weights[layer.name]]).astype("<f4")


def weights_of(size, flat):
    weights, at = {}, 0
    for layer in layers(size):
        shape = (layer.outputs, layer.inputs, layer.kernel)
        number = int(np.prod(shape))
        weights[layer.name] = (flat[at:at + number].reshape(shape), flat[at + number:at + number + layer.outputs])
        at += number + layer.outputs
    if at != len(flat):
        raise ValueError("the model has another number of weights than its layers")
    return weights


def count_of(size):
    """Returns the numbers of weights and of multiply-adds a window."""
    weights = sum((layer.inputs * layer.kernel + 1) * layer.outputs for layer in layers(size))
    length = {"input": 320}
    work = 0
    for layer in layers(size):
        up, _, skip = layer.source.partition("^+")
        length[layer.name] = (length[skip] if skip else length[up]) // layer.stride
        work += layer.inputs * layer.kernel * layer.outputs * length[layer.name]
    return weights, work
