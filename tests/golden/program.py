"""Generates the recordings and runs the program on them."""
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from golden import drawn, result_folder
from golden.golden_file import digest
from golden.recordings import ROOT, write

EXPECTED = Path(__file__).resolve().parent / "expected"


class ProgramFailed(Exception):
    pass


@dataclass(frozen=True)
class Program:
    path: Path
    device: str = "cpu"

    def command(self, recording, file, out):
        """Returns the command line for a recording.

        Each run has one thread, because recordings are analysed at the same time and results do not depend on threads.
        The training has the default length: it takes 0.2 s. The page is omitted: it repeats the content of other files.
        """
        command = [self.path, recording.command, file, *recording.arguments, "--out", out, "--threads", 1, "--quiet"]
        return command + (["--device", self.device, "--no-report"] if recording.command == "run" else [])

    def analyse(self, recording):
        """Returns the Golden of a recording. Raises ProgramFailed if the program ends with an error."""
        with tempfile.TemporaryDirectory(prefix="beatscan-golden-") as folder:
            file, out = write(recording, folder), Path(folder) / "result"
            made = sorted(Path(folder).iterdir()) or [file]
            done = subprocess.run([str(word) for word in self.command(recording, file, out)], cwd=ROOT,
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if not line.startswith("warning")]
                raise ProgramFailed(" ".join([f"the program ended with status {done.returncode}", *errors]))
            try:
                golden = result_folder.read(recording.name, recording.rate_hz, out)
            except (OSError, ValueError) as error:
                raise ProgramFailed(f"the result cannot be read: {error}") from error
            golden.summary = drawn.counts(recording, golden) | golden.summary
            golden.recording = digest(b"".join(each.read_bytes() for each in made))
            return golden


def default_path():
    """Returns the program of the build folder, which BEATSCAN_BUILD names."""
    return Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"


def analyse_all(program, recordings, jobs):
    """Yields (recording, Golden or ProgramFailed) in the order of the recordings, running `jobs` of them
    concurrently."""
    def attempt(recording):
        try:
            return program.analyse(recording)
        except ProgramFailed as failure:
            return failure

    with ThreadPoolExecutor(jobs) as pool:
        yield from zip(recordings, pool.map(attempt, recordings))
