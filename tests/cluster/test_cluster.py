#!/usr/bin/env python3
"""Runs the examples of scripts/cluster with the engines that are installed: Slurm on this machine alone, OpenMPI, torchrun,
GNU parallel, Snakemake and Nextflow. Each makes the same cohort, which is compared with that of one process.

  tests/cluster/test_cluster.py [ENGINE]...     all engines, if none is named
"""
import concurrent.futures
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import suite  # noqa: E402

# torchrun and Snakemake may be in the virtual environment of this Python.
os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
EXAMPLES = HERE.parents[1] / "scripts" / "cluster"
PROGRAM = pathlib.Path(os.environ.get("BEATSCAN_BUILD", HERE.parents[1] / "build")).resolve() / "beatscan"
ARGS = "--device cpu --threads 1 --set vae.epochs=1"
RECORDINGS = 7
ALONE = RECORDINGS + 2  # shards of one recording each: two of them have none that can be analysed


class Missing(Exception):
    """An engine that is not installed, or cannot run here."""


def run(command, folder, status=(0, 7), **environment):
    """Runs a command in the folder; returns what it printed. Its exit status must be one of `status`."""
    done = subprocess.run(command, cwd=folder, env={**os.environ, "BEATSCAN": str(PROGRAM), "BEATSCAN_ARGS": ARGS,
                                                    **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, check=False)
    if done.returncode == 77:
        raise Missing(done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "cannot run here")
    if done.returncode not in status:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(f"needs {program}")


def make_recordings(folder):
    """Writes recordings and their list: among them one that is missing, one that is damaged, and one that is there twice."""
    (folder / "data").mkdir()
    lines = ["input,rate,truth,name"]
    for i in range(RECORDINGS):
        run([PROGRAM, "generate", "--samples", "6000", "--seed", str(i), "--out", f"data/r{i}.csv", "-q"], folder, (0,))
        lines.append(f"r{i}.csv,250,{f'r{i}.truth.csv' if i % 2 else ''},")
    (folder / "data" / "bad.csv").write_text("mV\n1\noops\n", encoding="utf-8")
    lines += ["bad.csv,250,,", "gone.csv,250,,", "r0.csv,250,,"]
    (folder / "data" / "list.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "data/list.csv"


def difference(one, other):
    """Returns the first difference between two cohorts, times aside; None where they are the same."""
    files = [sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file() and ".snakemake" not in str(p))
             for root in (one, other)]
    if files[0] != files[1]:
        return f"other files: {sorted(set(files[0]) ^ set(files[1]))}"
    for name in files[0]:
        if name.name in ("summary.json", "report.html"):  # these tell times
            continue
        if not filecmp.cmp(one / name, other / name, shallow=False):
            return str(name)
    return None


def slurm(folder, *command, cpus=4):
    need("sbatch", "srun", "slurmctld", "slurmd", "munged")
    return run([HERE / "slurm_here", "--cpus", str(cpus), *command], folder)


def slurm_array(folder, listing, out):
    script = EXAMPLES / "slurm_array.sbatch"
    wait = f"'{script}' {listing} {out}; while [ -n \"$(squeue -h)\" ]; do sleep 0.3; done; cat slurm-*.out"
    text = slurm(folder, "sh", "-c", f"export SBATCH_ARGS='--gpus=0 --cpus-per-task=1'; {wait}")
    assert "of 4 of the job array" in text, text
    return text


def slurm_srun(folder, listing, out):
    script = EXAMPLES / "slurm_srun.sbatch"
    text = slurm(folder, "sh", "-c", f"sbatch -W --nodes=1 --ntasks-per-node=3 --gpus-per-node=0 --cpus-per-task=1 "
                 f"-o job.out '{script}' {listing} {out}; echo status $?; cat job.out")
    assert "status 7" in text, text
    assert "task 2 of 3 of srun" in text, text
    return text


def openmpi(folder, listing, out):
    need("mpirun")
    text = run([EXAMPLES / "openmpi", listing, out, "-n", str(ALONE), "--oversubscribe"], folder, (7,),
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    assert f"task 2 of {ALONE} of mpirun" in text, text
    return text


def torchrun(folder, listing, out):
    need("torchrun")
    text = run([EXAMPLES / "torchrun", listing, out, "--standalone", "--nproc-per-node", str(ALONE)], folder, (7,))
    assert f"task 2 of {ALONE} of torchrun" in text, text
    return text


def gnu_parallel(folder, listing, out):
    need("parallel")
    return run([EXAMPLES / "gnu_parallel", listing, out, str(ALONE), "--jobs", "2"], folder, (7,))


def snakemake(folder, listing, out):
    need("snakemake")
    return run(["snakemake", "-s", EXAMPLES / "Snakefile", "--cores", "2", "--config", f"list={listing}", f"out={out}",
                f"shards={ALONE}", f"beatscan={PROGRAM}", f"args={ARGS.replace('--threads 1 ', '')}"], folder, (0,))


def nextflow(folder, listing, out):
    need("nextflow")
    return run(["nextflow", "run", EXAMPLES / "main.nf", "--list", listing, "--out", out, "--shards", str(ALONE), "--beatscan",
                PROGRAM, "--args", ARGS], folder, (0,))


def without_srun(folder, listing, out):
    """The frequent mistake: the job has three tasks, and the program is started once. It says so, and does all."""
    text = slurm(folder, "sh", "-c", f"sbatch -W -n 3 -o alone.out --wrap \"'{PROGRAM}' run --list {listing} "
                 f"--shard auto --out {out} {ARGS}\"; cat alone.out")
    assert "has 3 tasks, and the program was started once: srun starts it in each" in text, text
    return text


ENGINES = [slurm_array, slurm_srun, without_srun, openmpi, torchrun, gnu_parallel, snakemake, nextflow]


def outcome(engine, folder, listing):
    """Runs an engine. Returns "passed", "skipped" or "failed", and what there is to say of it."""
    name = engine.__name__
    try:
        text = engine(folder, listing, name)
        assert (folder / name / "cohort.csv").is_file(), f"no lists\n{text}"
        unlike = difference(folder / "alone", folder / name)
        assert unlike is None, f"not the cohort of one process: {unlike}\n{text}"
    except Missing as reason:
        return "skipped", str(reason)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return "failed", str(error)
    return "passed", "the cohort of one process"


def main():
    wanted = sys.argv[1:]
    engines = [engine for engine in ENGINES if engine.__name__ in wanted or not wanted]
    if not wanted and not shutil.which("nextflow"):
        print("nextflow: not counted, because neither Debian nor PyPI has it", flush=True)
        engines.remove(nextflow)
    with tempfile.TemporaryDirectory(prefix="beatscan-cluster-") as temporary:
        folder = pathlib.Path(temporary)
        listing = make_recordings(folder)
        run([PROGRAM, "run", "--list", listing, "--out", "alone", *ARGS.split()], folder, (7,))
        with concurrent.futures.ThreadPoolExecutor(len(engines)) as pool:  # they wait most of the time
            outcomes = list(pool.map(lambda engine: outcome(engine, folder, listing), engines))
    for engine, (what, text) in zip(engines, outcomes):
        print(f"{engine.__name__}: {what}: {text}")
    kinds = [what for what, _ in outcomes]
    suite.finish(kinds.count("passed"), kinds.count("failed"), [text for what, text in outcomes if what == "skipped"])


main()
