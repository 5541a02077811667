"""Times step 3: 30 epochs of the published VAE in PyTorch, batch 1024, on rows [B, 256] that lie on the device.

The model and its loss are those of tests/reference/vae.py. A peer returns a function that trains one epoch and returns
its loss. Every epoch is the same work, so a few are timed and the time is scaled.
"""
import functools

from timing import Skip, measure, torch_device

EPOCHS_TIMED = 3


def reference(torch, device):
    """Returns vae.py, but with the filter of `halve` on the device from the start. In vae.py every call copies it from
    host memory, so that a GPU waits three times a step, which an optimised program would avoid."""
    import vae

    kernel = torch.tensor([1.0, 2.0, 1.0], device=device)

    def halve(x):
        channels = x.shape[1]
        return torch.nn.functional.conv1d(x, kernel.expand(channels, 1, 3), stride=2, padding=1, groups=channels)

    vae.halve = halve
    return vae


def rows_like_beats(torch, count, width, device):
    """Returns rows with a peak and noise. The time does not depend on the values; the check is that the loss falls."""
    torch.manual_seed(205)
    t = torch.linspace(-3, 3, width)
    return (torch.exp(-8 * t**2) * (1 + 0.1 * torch.randn(count, 1)) + 0.02 * torch.randn(count, len(t))).to(device)


def step_function(torch, vae, model, loss_of):
    optimiser = torch.optim.Adam(model.parameters(), lr=vae.LEARNING_RATE, fused=True)

    def step(batch):
        optimiser.zero_grad()
        loss = loss_of(model, batch, torch.randn(len(batch), vae.LATENTS, device=batch.device))
        loss.backward()
        optimiser.step()
        return loss.detach()

    return step


def epoch_by_index(torch, vae, rows, loss_of):
    """Trains on the rows in a new order in every epoch. It reads the loss once an epoch, so that no step waits for
    another."""
    step = step_function(torch, vae, vae.Vae().to(rows.device), loss_of)

    def epoch():
        total = torch.zeros((), device=rows.device)
        for batch in torch.randperm(len(rows), device=rows.device).split(vae.BATCH):
            total += step(rows.index_select(0, batch))
        return total.item() / len(rows)

    return epoch


def eager(torch, vae, rows):
    return epoch_by_index(torch, vae, rows, vae.loss_of)


def compiled(torch, vae, rows):
    """Trains with one compiled graph for whole batches and one for the last batch."""
    return epoch_by_index(torch, vae, rows, torch.compile(vae.loss_of, mode="reduce-overhead", dynamic=False))


def data_loader(torch, vae, rows):
    """Trains as published: collects rows one by one from the device's memory, and reads the loss in every step."""
    step = step_function(torch, vae, vae.Vae().to(rows.device), vae.loss_of)
    loader = torch.utils.data.DataLoader(rows, batch_size=vae.BATCH, shuffle=True)
    return lambda: sum(step(batch).item() for batch in loader) / len(rows)


PEERS = {"PyTorch": eager, "PyTorch, torch.compile": compiled, "PyTorch, DataLoader": data_loader}


def run(peer, count, repetitions):
    torch, device, synchronise = torch_device()
    vae = reference(torch, device)
    if peer is compiled and device == "cpu":
        raise Skip("torch.compile's reduce-overhead is for GPUs, and there is none")
    epoch = peer(torch, vae, rows_like_beats(torch, count, vae.WIDTH, device))
    losses = []

    def train(epochs=EPOCHS_TIMED):
        losses.extend(epoch() for _ in range(epochs))
        synchronise()

    # torch.compile needs each shape, also the last batch's, three times: to compile, to warm up, to record its graph.
    warm_up = functools.partial(train, 3 if peer is compiled else 1)
    spread, _ = measure(train, repetitions, warm_up, scale=vae.EPOCHS / EPOCHS_TIMED)
    where = " on the CPU" if device == "cpu" else ""
    note = f"{EPOCHS_TIMED} epochs x {vae.EPOCHS // EPOCHS_TIMED}"
    return {"version": torch.__version__, "where": where, **spread, "rows": count, "epochs": vae.EPOCHS,
            "epochs_timed": EPOCHS_TIMED, "note": note, "loss_first": losses[0], "loss_last": losses[-1]}


def disagreements(rows):
    return [f"{row['tool']}: the loss went from {row['loss_first']:.4g} to {row['loss_last']:.4g}"
            for row in rows if not row["loss_last"] < row["loss_first"]]
