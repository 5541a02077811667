"""Results of the program on the CPU, for tests of their report pages. Each function makes one in the folder `out`."""

import os
import pathlib
import subprocess

from recordings import fibrillation, twelve_leads, with_a_gap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
HALF_AN_HOUR = ROOT / "data" / "mitdb_205.csv"


def beatscan(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"beatscan {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")


def analyse(recording, out, *options):
    beatscan("run", recording, "--device", "cpu", "--set", "vae.epochs=2", *options, "--out", out)


def rows_of_data(first, last):
    with open(HALF_AN_HOUR) as file:
        return file.readlines()[1:][first:last]


def with_episodes(out):
    """Half an hour with reference annotations, and with episodes of many kinds, which are written by hand."""
    analyse(HALF_AN_HOUR, out, "--rate", 360, "--truth", HALF_AN_HOUR.with_suffix(".truth.csv"))
    episodes = [(299.2, 301.5, "VT", 8, 181), (304, 306, "NOISE", 0, ""), (400, 700, "AFIB", 420, 84),
                (900, 960, "STACH", 90, 104), (1463, 1463.6, "V2", 2, 140), (1500, 1502.3, "PAUSE", 2, 26)]
    with open(out / "episodes.csv", "w") as file:
        file.write("start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality\n")
        for start, end, label, beats, rate in episodes:
            file.write(f"{start},{end},{start * 360:.0f},{end * 360:.0f},{label},{beats},{rate},0.9,good\n")
    beatscan("report", out)


def in_bins(out):
    """A signal that is too long for the page, which shows the least and the greatest value of every two samples. It
    has 2.7 hours, and so the course of its intervals."""
    recording = out.with_suffix(".csv")
    beatscan("generate", "--samples", 1_200_000, "--rate", 125, "--out", recording)
    analyse(recording, out, "--rate", 125)


def without_rate(out):
    analyse(HALF_AN_HOUR, out, "--config", "seed")


def hostile(out):
    """A file and a column whose names are markup."""
    recording = out.parent / "<img src=x onerror=alert(1)>.csv"
    recording.write_text("</script><script>alert(2)</script>\n" + "".join(rows_of_data(0, 100_000)))
    analyse(recording, out, "--rate", 360)


def three_leads(out):
    """Three leads, of which the third is flat for 42 s."""
    recording = out.with_suffix(".csv")
    with open(recording, "w") as file:
        file.write('II,V1,"V5, <img src=x onerror=alert(1)>"\n')
        for i, value in enumerate(map(float, rows_of_data(0, 100_000)), start=1):
            file.write(f"{value},{-0.7 * value:.4f},{0 if 30_000 < i < 45_000 else 1.2 * value:.4f}\n")
    analyse(recording, out, "--rate", 360, "--set", 'ingest.leads=["0","1","2"]')


def ten_seconds(out):
    recording = out.with_suffix(".csv")
    recording.write_text("heartbeats\n" + "".join(rows_of_data(0, 3600)))
    analyse(recording, out, "--rate", 360)


def ten_seconds_of_twelve_leads(out):
    recording = out.with_suffix(".csv")
    twelve_leads(recording)
    analyse(recording, out, "--rate", 360)


def with_fibrillation(out):
    recording = out.with_suffix(".csv")
    fibrillation(recording)
    analyse(recording, out, "--rate", 360)


def healthy_with_a_gap(out):
    """A healthy recording with a gap of six seconds from 60 s on."""
    whole, recording = out.with_suffix(".whole.csv"), out.with_suffix(".csv")
    beatscan("generate", "--samples", 50_000, "--abnormal", 0, "--out", whole)
    with_a_gap(whole, recording)
    analyse(recording, out, "--rate", 250)
