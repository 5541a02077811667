"""Batches of augmented examples, and the training of the nets of all folds at once."""
import math

import numpy as np
import torch
import torch.nn.functional as F

from waves.examples import ALL_WAVES, BEFORE, IGNORED, SHARES, STORED
from waves.net import Nets
from waves.windows import LENGTH, MARK_HALF_WIDTH, R_INDEX, RATE

RATE_OF_LEARNING = 4e-3
P_SETS = 2  # LUDB and QTDB, whose P waves have onsets and offsets


class Examples:
    """The examples on the device. Net k of the folds does not see fold k; the last net sees all."""

    def __init__(self, parts, folds, device, average_share, noise):
        single, average, labels, source, marks, fold = (np.concatenate(part) for part in zip(*parts))
        put = lambda array: torch.from_numpy(array).to(device)
        self.single, self.average, self.marks = put(single), put(average), put(marks)
        self.labels, self.source = put(labels).int(), put(source)
        self.device, self.average_share, self.noise = device, average_share, noise
        self.bits = torch.tensor([1, 2, 4], device=device)[None, :, None]
        chances = []
        for k in range(folds + 1):
            weight = np.zeros(len(source))
            for number, share in enumerate(SHARES):
                seen = (source == number) & (fold != k)
                weight[seen] = share / max(1, seen.sum())
            chances.append(np.cumsum(weight) / weight.sum())
        self.chances = put(np.stack(chances))

    def rand(self, *shape):
        return torch.rand(*shape, device=self.device)

    def randn(self, *shape):
        return torch.randn(*shape, device=self.device)

    def batch(self, size):
        """Returns inputs [K, 2, size, 320], targets and weights of the loss [K, 3, size, 320]."""
        count = len(self.chances)
        drawn = torch.rand(count, size, device=self.device, dtype=torch.float64)
        index = torch.searchsorted(self.chances, drawn, right=True).clamp(max=len(self.source) - 1).flatten()
        as_average = (self.rand(len(index)) < self.average_share)[:, None]
        v = torch.where(as_average, self.average[index], self.single[index])
        labels, source = self.labels[index], self.source[index]
        v, labels = self.change_p(v, labels, source)
        v = self.add_noise(v)
        v = v * (torch.exp(0.3 * self.randn(len(v))) * torch.where(self.rand(len(v)) < 0.3, -1.0, 1.0))[:, None]
        x, labels = self.resample(v, labels, self.marks[index])
        shaped = lambda mask: mask.float().view(count, size, 3, LENGTH).transpose(1, 2)
        y, weight = shaped((labels[:, None] & self.bits) > 0), shaped((labels[:, None] & (self.bits * IGNORED)) == 0)
        return x.view(count, size, 2, LENGTH).transpose(1, 2).contiguous(), y, weight

    def change_p(self, v, labels, source):
        """Removes the beat's P wave (14 %), moves it (14 %), copies it elsewhere (40 %), adds fibrillation waves."""
        n, t = len(v), torch.arange(STORED, device=self.device)[None]
        p = ((labels & 1) > 0) & (t > 40) & (t < BEFORE - 4) & (source < P_SETS)[:, None]
        onset = torch.where(p, t, 999).amin(1)
        offset = torch.where(p, t, -1).amax(1)
        there = p.any(1) & (offset - onset + 1 == p.sum(1)) & (offset - onset > 5)
        onset = torch.where(there, onset - 2, 50).clamp(1, STORED - 10)
        offset = torch.where(there, offset + 2, 60).clamp(2, STORED - 2)
        inside = (t >= onset[:, None]) & (t <= offset[:, None]) & there[:, None]
        part = (t - onset[:, None]).float() / (offset - onset).clamp(min=1)[:, None]
        chord = v.gather(1, onset[:, None]) * (1 - part) + v.gather(1, offset[:, None]) * part
        deflection = torch.where(inside, v - chord, 0.0)
        mask = (labels & 1) * inside
        chance = self.rand(n)
        away, moved = there & (chance < 0.14), there & (chance > 0.86)
        changed = (away | moved)[:, None]
        shift = torch.where(moved, (self.rand(n) * 46 - 32).round().long(), 0)
        shift = torch.maximum(torch.minimum(shift, BEFORE - 10 - offset), 6 - onset)
        source_at = (t - shift[:, None]).clamp(0, STORED - 1)
        v = v - deflection * changed + deflection.gather(1, source_at) * moved[:, None]
        original = (labels & ALL_WAVES) > 0
        labels = torch.where(changed & inside, labels & ~1, labels)
        labels = torch.where(moved[:, None], labels | mask.gather(1, source_at), labels)
        v, labels = self.add_p(v, labels, original, onset, offset, there, deflection, mask)
        waves = (away & (self.rand(n) < 0.6)) | (~((labels & 1) > 0).any(1) & (self.rand(n) < 0.03))
        rate = (4 + 5 * self.rand(n))[:, None]
        phase = 2 * math.pi * (self.rand(n)[:, None] + rate * t / RATE)
        turn = self.rand(n)[:, None] + (0.5 + self.rand(n))[:, None] * t / RATE
        phase = phase + 1.5 * torch.sin(2 * math.pi * turn)
        return v + ((0.01 + 0.1 * self.rand(n) ** 2) * waves)[:, None] * torch.sin(phase), labels

    def add_p(self, v, labels, original, onset, offset, there, deflection, mask):
        """Copies the P wave to a place without a wave, as a non-conducted P wave."""
        n, t = len(v), torch.arange(STORED, device=self.device)[None]
        width = offset - onset + 1
        start = (5 + self.rand(n) * (STORED - 10 - width)).long()
        near = (t >= (start - 5)[:, None]) & (t < (start + width + 5)[:, None])
        busy = ((((labels & (ALL_WAVES | IGNORED)) > 0) | original) & near).any(1)
        put = (there & (self.rand(n) < 0.4) & ~busy)[:, None]
        source_at = (t - (start - onset)[:, None]).clamp(0, STORED - 1)
        target = put & (t >= start[:, None]) & (t < (start + width)[:, None])
        v = v + deflection.gather(1, source_at) * target * (0.7 + 0.5 * self.rand(n))[:, None]
        return v, torch.where(target & (mask.gather(1, source_at) > 0), labels | 1, labels)

    def add_noise(self, v):
        """Adds white and low-pass noise, mains and baseline. Amplitudes are in heights of the QRS complex."""
        n, t = v.shape[0], torch.arange(STORED, device=self.device)[None]
        level = lambda most: (self.rand(n) ** 3 * most)[:, None]
        wave = lambda rate: torch.sin(2 * math.pi * (self.rand(n)[:, None] + rate[:, None] * t / RATE))
        rough = F.avg_pool1d(self.randn(n, 1, STORED), 5, 1, 2)[:, 0] * 2.2
        slow = F.avg_pool1d(self.randn(n, 1, STORED + 24), 25, 1)[:, 0] * 5
        mains = wave(torch.where(self.rand(n) < 0.5, 50.0, 60.0))
        v = v + level(self.noise) * self.randn(n, STORED) + level(self.noise / 3) * rough
        v = v + level(self.noise / 4) * slow + level(0.1) * mains + level(0.3) * wave(0.1 + 0.6 * self.rand(n))
        blunt = F.avg_pool1d(F.pad(v, (1, 1), mode="replicate")[:, None], 3, 1)[:, 0]
        return torch.where((self.rand(n) < 0.15)[:, None], blunt, v)  # as at a low sampling rate

    def resample(self, v, labels, marks):
        """Stretches time by 0.66 to 1.22, moves R (SD 12 ms, of 15 % up to 120 ms), and returns the net's input."""
        n = len(v)
        stretch = torch.exp(math.log(0.66) + self.rand(n) * math.log(1.22 / 0.66))[:, None]
        shift = torch.where(self.rand(n) < 0.15, self.rand(n) * 60 - 30, (3 * self.randn(n)).clamp(-8, 8))[:, None]
        k = torch.arange(LENGTH, device=self.device)[None]
        at = BEFORE + (k - R_INDEX) * stretch + shift
        whole = at.floor().long().clamp(0, STORED - 2)
        part = (at - whole).clamp(0, 1)
        v = v.gather(1, whole) * (1 - part) + v.gather(1, whole + 1) * part
        labels = labels.gather(1, at.round().long().clamp(0, STORED - 1))
        shifts = torch.cat([shift, torch.zeros_like(shift), shift], dim=1)  # the beat's own mark stays
        places = R_INDEX + (marks - shifts) / stretch
        mark = (1 - (k[:, None] - places[:, :, None]).abs() / MARK_HALF_WIDTH).clamp(min=0).sum(1)
        ordered = v.sort(1).values
        v = v - (ordered[:, LENGTH // 2 - 1:LENGTH // 2] + ordered[:, LENGTH // 2:LENGTH // 2 + 1]) / 2
        return torch.stack([torch.asinh(10 * v) / 3, mark], dim=1), labels


def loss_of(logits, y, weight):
    """Returns each net's loss: binary cross-entropy and a tenth of the Dice loss."""
    entropy = F.binary_cross_entropy_with_logits(logits, y, reduction="none") * weight
    entropy = entropy.sum((1, 2, 3)) / weight.sum((1, 2, 3))
    p = torch.sigmoid(logits) * weight
    both, either = (p * y).sum((2, 3)), p.sum((2, 3)) + (y * weight).sum((2, 3))
    return entropy + 0.1 * (1 - (2 * both + 1) / (either + 1)).mean(1)


class Training:
    """AdamW with a cosine schedule on all nets at once, and exponential means of their weights."""

    def __init__(self, examples, size, batch, steps, device, decay=0.999):
        self.examples, self.batch, self.steps, self.decay = examples, batch, steps, decay
        self.nets = Nets(size, len(examples.chances)).to(device)
        self.parameters = list(self.nets.parameters())
        self.rate = torch.tensor(0.0, device=device)
        self.optimiser = torch.optim.AdamW(self.parameters, lr=self.rate, weight_decay=1e-3,
                                           capturable=device.type == "cuda")
        self.means = [p.detach().clone() for p in self.parameters]
        self.pace = torch.tensor(0.0, device=device)
        self.loss = torch.zeros(len(examples.chances), device=device)

    def step(self):
        x, y, weight = self.examples.batch(self.batch)
        losses = loss_of(self.nets(x), y, weight)
        losses.sum().backward()
        square = sum((p.grad ** 2).flatten(1).sum(1) for p in self.parameters)  # each net's gradient separately
        limit = (5 / (square.sqrt() + 1e-6)).clamp(max=1)
        for p in self.parameters:
            p.grad.mul_(limit.view(-1, *[1] * (p.dim() - 1)))
        self.optimiser.step()
        with torch.no_grad():
            for mean, p in zip(self.means, self.parameters):
                mean.add_((p - mean) * self.pace)
            self.loss.lerp_(losses.detach(), 0.02)

    def eager(self):
        self.optimiser.zero_grad(set_to_none=True)
        self.step()

    def recorded(self):
        """Returns a function that runs a step on the GPU as one CUDA graph."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.eager()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        self.optimiser.zero_grad(set_to_none=True)
        with torch.cuda.graph(graph):
            self.step()
        return graph.replay

    def run(self, say=lambda step, losses: None):
        """Trains, and returns each net's folded weights."""
        self.rate.fill_(schedule(0, self.steps))
        step = self.recorded() if self.rate.is_cuda else self.eager
        for k in range(self.steps):
            self.rate.fill_(schedule(k, self.steps))
            self.pace.fill_(1 - min(self.decay, (1 + k) / (10 + k)))
            step()
            if (k + 1) % max(1, self.steps // 8) == 0:
                say(k + 1, self.loss.tolist())
        with torch.no_grad():
            for p, mean in zip(self.parameters, self.means):
                p.copy_(mean)
            for _ in range(150):  # the normalisation of the averaged weights
                self.nets(self.examples.batch(self.batch)[0])
        return self.nets.folded()


def schedule(step, steps):
    return RATE_OF_LEARNING * min(1, (step + 1) / 50) * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + 2e-5
