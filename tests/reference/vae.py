"""The VAE of the published pipeline (steps 6 to 8), in plain PyTorch, from its description alone.

usage: vae.py gradients INPUT.csv OUTDIR              weights, batch, loss, gradients and Adam steps, in float64
       vae.py curves INPUT.csv SAMPLES OUTFILE.json   training runs on INPUT.csv, and on a synthetic signal of SAMPLES
       vae.py initial SEED OUTDIR                     the weights that the run of that seed in `curves` starts from
"""
import json
import math
import platform
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import published
import synthetic

WIDTH, LATENTS = 256, 2
KL_WEIGHT = 0.1
LEARNING_RATE = 1e-3
EPOCHS, BATCH = 30, 1024
PARAMETERS = 1618


class Swish(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x * torch.sigmoid(self.alpha * x)


def halve(x):
    """Maps [B, C, T] to [B, C, T/2]: filters each channel by [1, 2, 1] (not normalised) with stride 2 and zero padding
    of one."""
    channels = x.shape[1]
    kernel = x.new_tensor([1.0, 2.0, 1.0]).expand(channels, 1, 3)
    return F.conv1d(x, kernel, stride=2, padding=1, groups=channels)


def double(x):
    return x.repeat_interleave(2, dim=2)


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0 = nn.Conv1d(1, 4, 3, padding=1)
        self.conv1 = nn.Conv1d(4, 8, 3, padding=1)
        self.conv2 = nn.Conv1d(8, 16, 3, padding=1)
        self.convA = nn.Conv1d(16, LATENTS, 3, padding=1)
        self.convB = nn.Conv1d(16, LATENTS, 3, padding=1)
        self.restore = nn.Linear(LATENTS, WIDTH)
        self.conv3 = nn.Conv1d(8, 4, 3, padding=1)
        self.conv4 = nn.Conv1d(4, 2, 3, padding=1)
        self.conv5 = nn.Conv1d(2, 1, 3, padding=1)
        self.sigma = Swish()
        assert sum(p.numel() for p in self.parameters()) == PARAMETERS

    def encode(self, x):
        """Maps x [B, 256] to mu and logvar [B, 2]."""
        h = x.unsqueeze(1)
        for conv in (self.conv0, self.conv1, self.conv2):
            h = halve(self.sigma(conv(h)))
        return self.convA(h).mean(dim=2), self.convB(h).mean(dim=2)

    def decode(self, z):
        """Maps z [B, 2] to [B, 256]."""
        h = self.restore(z).view(-1, 8, 32)
        h = self.sigma(self.conv3(double(h)))
        h = self.sigma(self.conv4(double(h)))
        return self.conv5(double(h)).squeeze(1)

    def forward(self, x, eps):
        mu, logvar = self.encode(x)
        return mu, logvar, self.decode(mu + eps * torch.exp(logvar / 2))


def error_per_beat(x, decoded):
    return ((x - decoded) ** 2).mean(dim=1)


def kl_per_beat(mu, logvar):
    return -0.5 * (1 + logvar - mu**2 - torch.exp(logvar)).sum(dim=1)


def loss_of(model, x, eps):
    mu, logvar, decoded = model(x, eps)
    return error_per_beat(x, decoded).sum() + KL_WEIGHT * kl_per_beat(mu, logvar).sum()


def seeded_weights(model, seed):
    """Sets weights that are uniform within 1/sqrt(fan in). They come from numpy, so that they do not depend on
    PyTorch's generator, and are rounded to float32, so that a float32 program starts from the same numbers. alpha is
    not 1, so that a program that ignores it fails the test."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            module = model.get_submodule(name.rpartition(".")[0])
            bound = 1 / math.sqrt(module.weight[0].numel()) if hasattr(module, "weight") else 0.0
            values = 0.9 if name == "sigma.alpha" else rng.uniform(-bound, bound, tuple(parameter.shape))
            parameter.copy_(torch.tensor(np.float32(values)))


def batch_of_37(embeddings):
    """Returns 29 real rows spread over the recording and 8 rows of noise."""
    rng = np.random.default_rng(205)
    real = embeddings[np.linspace(0, len(embeddings) - 1, 29).astype(int)]
    noise = rng.standard_normal((8, WIDTH)).astype(np.float32)
    return np.concatenate([real, noise]), rng.standard_normal((37, LATENTS)).astype(np.float32)


def save_parameters(model, outdir, prefix, dtype, of=lambda p: p):
    for name, parameter in model.named_parameters():
        np.save(outdir / f"{prefix}.{name}.npy", of(parameter).detach().numpy().astype(dtype))


def write_forward(model, x, eps, outdir):
    with torch.no_grad():
        mu, logvar, decoded = model(x, eps)
        error_at_mean = error_per_beat(x, model.decode(mu))
        kl = kl_per_beat(mu, logvar)
    for name, value in dict(mu=mu, logvar=logvar, decoded=decoded, error_at_mean=error_at_mean, kl=kl).items():
        np.save(outdir / f"{name}.npy", value.numpy())


def gradients(source, outdir):
    outdir.mkdir(parents=True, exist_ok=True)
    rows, noise = batch_of_37(published.run(source)["embeddings"])
    np.save(outdir / "x.npy", rows)
    np.save(outdir / "eps.npy", noise)
    x, eps = torch.tensor(rows, dtype=torch.float64), torch.tensor(noise, dtype=torch.float64)

    model = Vae().double()
    seeded_weights(model, seed=7)
    save_parameters(model, outdir, "w", np.float32)
    write_forward(model, x, eps, outdir)

    optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    losses = []
    for step in range(5):
        optimiser.zero_grad()
        loss = loss_of(model, x, eps)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            save_parameters(model, outdir, "g", np.float64, of=lambda p: p.grad)
        optimiser.step()
        if step == 0:
            save_parameters(model, outdir, "a", np.float64)
    losses.append(loss_of(model, x, eps).item())
    np.save(outdir / "loss.npy", np.array(losses[:1]))
    np.save(outdir / "losses.npy", np.array(losses))


def train(model, rows, generator):
    """Returns the mean loss per beat of each epoch: the batch losses, each taken before its step, over the rows. The
    rows have the same order in every epoch, because the description has one shuffle, that of the split."""
    optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    curve = []
    for _ in range(EPOCHS):
        total = 0.0
        for batch in rows.split(BATCH):
            optimiser.zero_grad()
            loss = loss_of(model, batch, torch.randn(len(batch), LATENTS, generator=generator))
            loss.backward()
            optimiser.step()
            total += loss.item()
        curve.append(total / len(rows))
    return curve


@torch.no_grad()
def test_figures(model, train_rows, test_rows, generator):
    eps = torch.randn(len(test_rows), LATENTS, generator=generator)
    mu, logvar = model.encode(test_rows)
    error = error_per_beat(test_rows, model.decode(mu)).mean().item()
    kl = kl_per_beat(mu, logvar).mean().item()
    mean_beat = error_per_beat(test_rows, train_rows.mean(dim=0)).mean().item()
    return {
        "test_loss_per_beat": loss_of(model, test_rows, eps).item() / len(test_rows),
        "test_loss_at_mean_per_beat": error + KL_WEIGHT * kl,
        "test_error_at_mean": error,
        "test_kl": kl,
        "test_error_of_mean_beat": mean_beat,
        "test_latent_variance": mu.var(dim=0).tolist(),
    }


def one_run(embeddings, seed):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1_000_000)
    rows = torch.tensor(np.random.default_rng(seed).permutation(embeddings))
    train_rows, test_rows = rows.split([int(0.75 * len(rows)), len(rows) - int(0.75 * len(rows))])
    model = Vae()
    curve = train(model, train_rows, generator)
    return {"seed": seed, "train_loss_per_beat": curve, **test_figures(model, train_rows, test_rows, generator)}


def initial(seed, outdir):
    outdir.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    save_parameters(Vae(), outdir, "w", np.float32)


def spread_of(values):
    """Returns the spread over the runs (axis 0)."""
    values = np.array(values)
    return {"least": values.min(0).tolist(), "largest": values.max(0).tolist(), "mean": values.mean(0).tolist(),
            "standard_deviation": values.std(0, ddof=1).tolist()}


def share_within(runs, spread):
    """Returns the share of the runs whose curve stays between the minimum and the maximum of the five in every
    epoch."""
    least, largest = np.array(spread["least"]), np.array(spread["largest"])
    inside = [np.all((least <= c) & (c <= largest)) for c in (np.array(r["train_loss_per_beat"]) for r in runs)]
    return float(np.mean(inside))


def study(source, runs_in_all):
    """Returns five runs in full, and the spread over more seeds, because five runs understate it."""
    embeddings = published.run(source)["embeddings"]
    runs = []
    for seed in range(runs_in_all):
        runs.append(one_run(embeddings, seed))
        print(f"seed {seed}: {runs[-1]['train_loss_per_beat'][0]:.4f} to {runs[-1]['train_loss_per_beat'][-1]:.4f}",
              file=sys.stderr)
    curves = [r["train_loss_per_beat"] for r in runs]
    five = spread_of(curves[:5])
    return {
        "rows": len(embeddings),
        "train_rows": int(0.75 * len(embeddings)),
        "runs": runs[:5],
        "spread_of_five": five,
        "runs_in_all": runs_in_all,
        "spread_of_all": spread_of(curves),
        "test_loss_spread_of_five": spread_of([r["test_loss_per_beat"] for r in runs[:5]]),
        "test_loss_spread_of_all": spread_of([r["test_loss_per_beat"] for r in runs]),
        "share_of_other_runs_within_five": share_within(runs[5:], five),
    }


def rounded(value):
    """Rounds to seven digits, the precision of a float32 sum, which keeps the file readable."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


CURVES_HOW = (
    "Embeddings by published.py. Per run: torch.manual_seed(seed), PyTorch's default initialisation, float32; rows permuted once "
    "by numpy's default_rng(seed), the first int(0.75 rows) train, in that order in every epoch; 30 epochs, batch 1024 with a "
    "smaller last one, Adam 1e-3, fresh eps per batch. Loss of a batch = sum over beats of the mean squared error over 256 "
    "+ 0.1 * sum over beats of -1/2 * sum over latents (1 + logvar - mu^2 - exp(logvar)). train_loss_per_beat: per epoch, the "
    "batch losses (each before its step) summed, over the rows. test_loss_per_beat: the same loss after training with one eps a "
    "beat, over the test rows; ..._at_mean: with z = mu. test_error_of_mean_beat: the error of always predicting the mean "
    "training row. test_latent_variance: of mu over the test rows; near 0 = the latent is not used. Seeds 0 to 4 are the five runs."
)


def curves(source, samples, target):
    with tempfile.TemporaryDirectory() as folder:
        long_csv = Path(folder) / "long.csv"
        synthetic.write_csv(long_csv, *synthetic.long_signal(samples))
        result = {
            "what": CURVES_HOW,
            "versions": {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()},
            Path(source).stem: study(source, 25),
            "synthetic": {"made_by": f"synthetic.py --long {samples} FILE.csv", **study(long_csv, 15)},
        }
    target.write_text(json.dumps(rounded(result), indent=1) + "\n")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "gradients":
        gradients(arguments[1], Path(arguments[2]))
    elif len(arguments) == 3 and arguments[0] == "initial":
        initial(int(arguments[1]), Path(arguments[2]))
    elif len(arguments) == 4 and arguments[0] == "curves":
        curves(arguments[1], int(arguments[2]), Path(arguments[3]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
