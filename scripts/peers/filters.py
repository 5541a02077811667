"""Times step 2: circular convolution of the signal with the Ricker wavelet of 30 taps by FFT over all N samples.

A peer is a function of the signal (float32 [N] on the host) and the precision. The signal is on the device before the
clock starts, and the response stays there. The wavelet's transform is part of the step, so it is timed.
"""
import numpy as np

from timing import Skip, measure, on_host, torch_device

PRECISIONS = ("float64", "float32")
# Shares of the largest |response|: far above what rounding in a transform costs, far below any wrong value.
ALLOWED_ERROR = {"float64": 1e-10, "float32": 1e-4}


def cupy_fft(signal, precision):
    import cupy
    from published import ricker

    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise Skip("no GPU")
    n, x, taps = len(signal), cupy.asarray(signal), cupy.asarray(ricker(), dtype=precision)

    def work():
        spectrum = cupy.fft.rfft(x.astype(precision, copy=False)) * cupy.fft.rfft(taps, n)
        response = cupy.fft.irfft(spectrum, n)
        cupy.cuda.Device().synchronize()
        return response

    return cupy.__version__, "", work


def torch_fft(signal, precision):
    torch, device, synchronise = torch_device()
    from published import ricker

    dtype = getattr(torch, precision)
    n, x, taps = len(signal), torch.from_numpy(signal).to(device), torch.from_numpy(ricker()).to(device, dtype)

    def work():
        response = torch.fft.irfft(torch.fft.rfft(x.to(dtype)) * torch.fft.rfft(taps, n), n)
        synchronise()
        return response

    return torch.__version__, " on the CPU" if device == "cpu" else "", work


PEERS = {"CuPy": cupy_fft, "PyTorch": torch_fft}


def largest_error(response, signal, count=10_000):
    """Returns the largest error, as a share of the largest |response|, against the definition. It is taken at places
    spread over the signal, with both ends."""
    from published import ricker

    taps, n = ricker(), len(signal)
    places = np.unique(np.linspace(0, n - 1, min(count, n)).astype(np.int64))
    expected = signal[(places[:, None] - np.arange(len(taps))) % n].astype(np.float64) @ taps
    return float(np.abs(response[places] - expected).max() / np.abs(expected).max())


def run(peer, signal, precision, repetitions):
    version, where, work = peer(signal, precision)
    spread, response = measure(work, repetitions)
    response = on_host(response)
    if response.dtype != precision:
        raise TypeError(f"response is {response.dtype}, not {precision}")
    return {"version": version, "where": where, **spread, "samples": len(response),
            "largest_error": largest_error(response, signal)}


def disagreements(rows):
    return [f"{row['tool']}: error {row['largest_error']:.2g} against the definition"
            for row in rows if not row["largest_error"] <= ALLOWED_ERROR[row["precision"]]]
