"""Times step 1: reading a CSV with one header line and the column `heartbeats` into float32 [N].

A peer is a function of the path. It returns the tool's version and the work to time. The work returns a numpy array, or
with cuDF a CuPy array on the GPU.
"""
import numpy as np

from timing import Skip, measure, on_host, torch_device

COLUMN = "heartbeats"


def pandas_c(path):
    import pandas

    return pandas.__version__, lambda: pandas.read_csv(path, dtype={COLUMN: "float32"}, engine="c")[COLUMN].to_numpy()


def pandas_pyarrow(path):
    import pandas
    import pyarrow

    def work():
        return pandas.read_csv(path, dtype={COLUMN: "float32"}, engine="pyarrow")[COLUMN].to_numpy()

    return f"{pandas.__version__}, pyarrow {pyarrow.__version__}", work


def pyarrow_csv(path):
    import pyarrow
    from pyarrow import csv

    options = csv.ConvertOptions(column_types={COLUMN: pyarrow.float32()})
    return pyarrow.__version__, lambda: csv.read_csv(path, convert_options=options)[COLUMN].to_numpy()


def cudf_csv(path):
    import cudf
    import cupy

    def work():
        values = cudf.read_csv(path, dtype={COLUMN: "float32"})[COLUMN].values
        cupy.cuda.Device().synchronize()
        return values

    return cudf.__version__, work


PEERS = {"pandas, C engine": pandas_c, "pandas, pyarrow engine": pandas_pyarrow, "pyarrow.csv": pyarrow_csv,
         "cuDF, to the GPU": cudf_csv}


def run(peer, path, repetitions):
    """Returns the row, and the values on the host, which later steps use and compare."""
    version, work = peer(path)
    spread, values = measure(work, repetitions)
    if values.dtype != np.float32:
        raise TypeError(f"values are {values.dtype}, not float32")
    row = {"version": version, **spread, "samples": len(values), "sum": float(values.sum(dtype="float64"))}
    return row, on_host(values)


def run_copy(signal, repetitions):
    """Times the copy from pageable memory to the GPU, which a tool that reads into host memory also needs."""
    torch, device, synchronise = torch_device()
    if device == "cpu":
        raise Skip("no GPU")

    def work():
        values = torch.from_numpy(signal).to(device)
        synchronise()
        return values

    return {"version": torch.__version__, **measure(work, repetitions)[0], "samples": len(signal)}


def read_untimed(path):
    """Reads the file if no peer could."""
    return np.loadtxt(path, skiprows=1, dtype=np.float32, ndmin=1)


def disagreements(rows, signal):
    """Returns a line for each row that differs from the first. A reader that rounds some last bits differently, as
    older pandas do, moves the sum by far less than 1e-9 of the sum of the magnitudes; a lost or misread value moves it
    by more."""
    allowed = 1e-9 * float(np.abs(signal).sum(dtype="float64"))
    return [f"{row['tool']} read {row['samples']} samples of sum {row['sum']!r}, "
            f"{rows[0]['tool']} {rows[0]['samples']} of sum {rows[0]['sum']!r}"
            for row in rows[1:]
            if row["samples"] != rows[0]["samples"] or not abs(row["sum"] - rows[0]["sum"]) <= allowed]
