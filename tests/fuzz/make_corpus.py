#!/usr/bin/env python3
"""Writes the seed corpus (tests/fuzz/corpus/TARGET/) of the fuzz programs: small files of every kind that is read.

  tests/fuzz/make_corpus.py [PROGRAM]     PROGRAM (build/beatscan) trains the models

The WFDB records are those of tests/reference.
"""
import binascii
import bz2
import gzip
import json
import lzma
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
WFDB = HERE.parent / "reference/expected/wfdb"
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "build/beatscan"


def put(target, name, contents):
    path = HERE / "corpus" / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())


def csv():
    put("csv", "header", "mV\n1\n-2.5\n3e-2\n0.145\n")
    put("csv", "crlf", "mV\r\n1\r\n2\r\n\r\n4\r\n\r\n")
    put("csv", "columns", "time,II,V1\n0,0.25,-1\n0.004,,-2\n0.008,NaN,3\n0.012,null,4\n")
    put("csv", "leads", "II,PPG,V1,V5\n1,2,,4\n2,2,NaN,5\n,2,3,4\n4,2,4,x\n")
    put("csv", "leads_apart", "\"I\";aVR;ecg 2\n1;1;\n2;1;7\n;1;\"8\"\n")
    put("csv", "no_header", "0;5.5\n1;-0\n2;1e-46\n")
    put("csv", "quotes", 'note,mV\n"a,b","1.5"\n"",  "2" \nx,"3"\n')
    put("csv", "open_quote", 'note,mV\n"a,1\nb,2\n')
    put("csv", "ragged", "a\tb\n1\t2\n3\n4\t5\t6\n")
    put("csv", "bad", "mV\n1\n1.1x5\n2\n")
    put("csv", "range", "mV\n340282356779733661637539395458142568447\n-1e39\n")
    put("csv", "bom", b"\xef\xbb\xbfmV\n7\n8\n")
    put("csv", "blank_lines", "mV\n\n1\n\n\n2\n\n\n\n")
    put("csv", "digits", "mV\n" + "0" * 30 + "16777217." + "0" * 40 + "1\n1" + "0" * 60 + "e-60\n.5\n5.\n")
    put("csv", "utf16", "mV\n1\n".encode("utf-16"))
    put("csv", "nul", b"mV\n1\n\0\n")
    put("csv", "blank_delimiter", "mV\n 1\n2 3\n")
    put("csv", "watch", "Name,Jo\nRecorded Date,2021-11-21 10:00:00 +0100\nSample Rate,512 hertz\n\nLead,Lead I\n"
        "Unit,\u00b5V\n\n1.5\n-2\n3\n")
    put("csv", "labchart", "Interval=\t0.004 s\nExcelDateTime=\t4.1275e+004\t1/1/2013\nTimeFormat=\tStartOfBlock\n"
        "ChannelTitle=\tECG\tResp\nRange=\t2.000 mV\t10.00 V\n0\t1\t2\n0.004\t3\t4\n")
    put("csv", "opensignals", '# OpenSignals Text File Format\n# {"00:07": {"sensor": ["ECG"], "column": ["nSeq", "A1"], '
        '"time": "9:5:7.245", "sampling rate": 1000, "date": "2017-1-30"}}\n# EndOfHeader\n0\t5\t\n1\t6\t\n')
    put("csv", "numbered", ",0,1\n0,5,6\n1,7,8\n")
    put("csv", "languages", "采样率,250\nОтведение: II\n时间,第Ⅱ誘導,Dérivation I\n0,1,2\n0.004,3,4\n")
    put("csv", "comments", "# Fs = 360 Hz\n# a,b\nECG (mV)\n1\n2\n")
    put("csv", "comment_header", "# time,II\n0,1\n0.004,2\n")
    put("csv", "units", "time,ECG\ns,mV\n0,1\n0.004,2\n")
    put("csv", "decimal_comma", "time;II\n0,000;1,5\n0,004;-2,25\n0,008;1.000\n")
    put("csv", "ecg_second", "time,ppg,ECG\n0,1,2\n1,3,x\n")
    put("time", "milliseconds", "timestamp,samples\n" + "".join(f"{4 * i},{i % 7}\n" for i in range(60)))
    put("time", "days", ",II\n" + "".join(f"0 days 00:00:00.{4 * i:03}000,{i % 7}\n" for i in range(60)))
    put("annotations", "times", "Time [ms];label\n77,5;N\n370;V\n")
    put("annotations", "blanks", "time symbol\n 0:00.214 N\n   0:01.028   V\n")
    put("time", "seconds", "time,mV\n" + "".join(f"{i / 250:.3f},{i % 7}\n" for i in range(60)))
    put("time", "jump", "Time [ms];mV\n" + "".join(f"{4 * i + (400 if i > 30 else 0)};{i % 5}\n" for i in range(60)))
    put("time", "packets", "t,ecg\n" + "".join(f"{i // 6 * 0.024:.2f},{i % 7}\n" for i in range(400) if i // 6 % 9))
    put("time", "lost", "t,ecg\n" + "".join(f"{i / 360:.3f},{i % 7}\n" for i in range(400) if i % 8))
    put("time", "coarse", "t,ecg\n" + "".join(f"{i // 9},{i % 7}\n" for i in range(400) if i % 31 > 4))
    put("time", "slashes", "Time,ecg\n" + "".join(f"01/05/2024 10:00:00.{4 * i:03},{i % 7}\n" for i in range(60)))
    put("time", "date", "timestamp,mV\n" + "".join(f"2026-11-21T23:59:59.{10 * i:03}Z,{i}\n" for i in range(40)))
    put("time", "midnight", "'hh:mm:ss.mmm','II'\n" + "".join(
        f"'{'23:59:59' if i < 20 else '0:00:00'}.{50 * (i % 20):03}',{i}\n" for i in range(40)))
    put("time", "back", "t,mV\n0,1\n0.01,2\n0.005,3\n")
    put("time", "epoch", "timestamp_us,mV\n" + "".join(f"{1763719200000000 + 4000 * i},{i}\n" for i in range(40)))


def cells():
    put("cell", "numbers", "1.145\n-0\n+.5e-1\n5.\n1e-400\n9.999999e37\n0e99999999999999999999\n16777217\n")
    put("cell", "halfway", "1.00000005960464477539062500000000000000000000000001\n"
        "7.006492321624085354618e-46\n3.4028235677973366e38\n33554434e-1\n")
    put("cell", "others", 'NaN\nNA\n null \n"1"\n""\n0x1p3\ninf\n1e\n1_0\n--5\n\xa01\n')


def corrections():
    head = '{"format":"beatscan corrections","version":1'
    put("corrections", "empty", head + "}")
    put("corrections", "beats", head + ',"beats":[{"time_s":3.5,"beat_class":"V"},{"time_s":4.4,"action":"delete"},'
        '{"time_s":7.2,"action":"insert","beat_class":"S"}],"templates":[{"time_s":1.5,"beat_class":"F"},'
        '{"template":0,"beat_class":"Q"}],"noise":[{"from_s":2,"to_s":6}]}')
    put("corrections", "episodes", head + ',"recording":{"sha256":"ab"},"episodes":[{"label":"AFIB","from_s":9,"to_s":12,'
        '"verdict":"rejected"},{"label":"VT","from_s":1,"to_s":4,"verdict":"added"},{"label":"NOISE","from_s":15,'
        '"to_s":99,"verdict":"added"},{"label":"PAUSE","from_s":1,"to_s":2,"verdict":"confirmed"}]}')


def config():
    put("config", "empty", "{}")
    put("config", "some", '{"seed":7,"ingest":{"column":"x","sample_rate_hz":250,"delimiter":";"},'
        '"vae":{"epochs":1,"channels":[4,8]}}\0vae.latents=3\0score.threshold=4\0method=published')
    put("config", "durations", '{"method":"published","filter":{"width_s":0.2},"segment":{"window_samples":72}}\0'
        'embed.min_length_s=0.3\0embed.max_length_samples=400')
    put("config", "wrong", '{"sead":1.5}\0rows.points=3.5\0quality.flat_range="x"\0ingest.column=' + "[" * 70 + "]" * 70)
    defaults = json.loads((HERE.parents[1] / "configs/default.json").read_text())
    put("config", "default", json.dumps(defaults, separators=(",", ":")))


def wfdb():
    for name in ("f16", "f24", "f32", "f61", "f80", "f160_1", "f212", "f310_1", "f311_2", "f8", "f508", "f516", "f524",
                 "two_rates_310", "skewed"):
        header, data = WFDB / f"{name}.hea", WFDB / f"{name}.dat"
        if header.exists() and data.exists():
            text = header.read_bytes().replace(f"{name}.dat".encode(), b"r.dat")
            put("wfdb", name, text + b"\0\0" + data.read_bytes()[:2400])
    samples = bytes(range(100)) * 2
    segment = b"s 2 360 100\nr.dat 80 200(3)/mV 8 0 0 0 0 II\nr.dat 80 200/mV 8 0 0 0 0 V1\n"
    put("wfdb", "segments", b"r/4 2 360 350\ns 100\n~ 50\ns 100\ns 100\n\0" + segment + b"\0" + samples)
    put("wfdb", "layout", b"r/3 2 360 150\ns 0\n~ 50\ns 100\n\0" + segment.replace(b" 100\n", b"\n", 1) + b"\0" + samples)
    put("wfdb", "leads", b"r 5 250 20\nr.dat 80 200 8 0 0 0 0 I\nr.dat 80x2 200 8 0 0 0 0 II\n~ 0 200 8 0 0 0 0 V1\n"
        b"r.dat 80:3 100 8 0 0 0 0 V1\nr.dat 80 100/bpm 8 0 0 0 0 ECG\n\0\0" + samples)
    put("wfdb", "two_names", b"r 3 250 40\nr.dat 80 200 8 0 0 0 0 I\n.//r.dat 16+3 200 8 0 0 0 0 I\nr.dat 80 1 8 0 0 0 0 V1\n"
        b"\0\0" + samples)
    put("wfdb", "other_lengths", b"r 2 250\nr.dat 80 200 8 0 0 0 0 I\n./r.dat 16 200 8 0 0 0 0 II\n\0\0" + samples)
    put("wfdb", "many_leads", b"r 70 250\n" + b"r.dat 80 1 8 0 0 0 0 V1\n" * 70 + b"\0\0" + samples)
    put("wfdb", "layout_twice", b"r/3 2 360 200\ns 0\ns 100\nr 100\n\0" + segment.replace(b"V1", b"II") + b"\0" + samples)
    put("wfdb", "frames", b"r 2 90 20\nr.dat 212x4:2+3 5/mV 12 0 0 0 0 I\nr.dat 212 5 12 0 0 0 0 resp\n\0\0" + samples)


def annotations():
    def word(code, number):
        return struct.pack("<H", code << 10 | number)

    note = b"## time resolution: 1000"
    put("annotations", "beats", word(1, 18) + word(5, 300) + word(8, 250) + word(28, 10) + word(0, 0))
    put("annotations", "skip", word(59, 0) + struct.pack("<HH", 1, 5) + word(1, 0) + word(60, 1) + word(62, 1) + word(0, 0))
    put("annotations", "clock", word(22, 0) + word(63, len(note)) + note + word(1, 900) + word(0, 0))
    put("annotations", "csv", "sample,symbol\n10,N\n370,V\n720,/\n")
    put("annotations", "csv_bad", "symbol,sample\r\nN,-3\r\n")


def edf():
    def make(signals, records, plus="", bdf=False, duration="1"):
        head = (b"\xffBIOSEMI" if bdf else b"0       ")
        fields = [("X X X X" if plus else "patient", 80), ("Startdate X X X X" if plus else "recording", 80),
                  ("01.02.20", 8), ("10.00.00", 8), (str(256 * (len(signals) + 1)), 8), (plus, 44), (str(records), 8),
                  (duration, 8), (str(len(signals)), 4)]
        for size, values in ((16, [s[0] for s in signals]), (80, [""] * len(signals)), (8, ["mV"] * len(signals)),
                             (8, ["-5"] * len(signals)), (8, ["5"] * len(signals)),
                             (8, ["-8388608" if bdf else "-32768"] * len(signals)),
                             (8, ["8388607" if bdf else "32767"] * len(signals)), (80, [""] * len(signals)),
                             (8, [str(s[1]) for s in signals]), (32, [""] * len(signals))):
            fields += [(value, size) for value in values]
        samples = sum(s[1] for s in signals) * records * (3 if bdf else 2)
        return head + b"".join(text.encode().ljust(size) for text, size in fields) + bytes(i * 7 % 251 for i in range(samples))

    put("edf", "edf", make([("ECG II", 8), ("V1", 4)], 3))
    put("edf", "leads", make([("EEG", 8), ("ECG I", 8), ("ECG II", 4), ("V1", 8)], 3))
    put("edf", "bdf", make([("ECG", 8)], 3, bdf=True))
    put("edf", "short_records", make([("ECG", 5)], 4, duration="0.5"))
    put("edf", "cut_off", make([("ECG II", 8)], 3)[:-5])
    tal = b"+0\x14\x14\0" + bytes(11)
    plus = make([("ECG II", 8), ("EDF Annotations", 8)], 1, plus="EDF+C")
    put("edf", "plus", plus[:-16] + tal)
    put("edf", "unfinished", make([("ECG", 8)], 1).replace(b"1       1       1   ", b"-1      1       1   ", 1))


def ishne():
    def make(codes=(6, 11), times=20, magic=b"ISHNE1.0", text=b"", leads=None, count=None, begin=None, resolutions=(5000, 2500),
             rate=200, checksum=None):
        fields = {10: len(text), 14: times if count is None else count, 18: 522, 22: 522 + len(text) if begin is None else begin}
        short = {26: 1, 156: len(codes) if leads is None else leads, 272: rate}
        for i in range(12):
            short[158 + 2 * i] = codes[i] if i < len(codes) else -9
            short[182 + 2 * i] = -9
            short[206 + 2 * i] = resolutions[i] if i < len(resolutions) else -9
        head = bytearray(522)
        for form, values in (("<i", fields), ("<h", short)):
            for at, value in values.items():
                struct.pack_into(form, head, at, value)
        struct.pack_into("<H", head, 8, binascii.crc_hqx(head[10:] + text, 0xFFFF) if checksum is None else checksum)
        head[:8] = magic
        return bytes(head) + text + bytes(i * 7 % 251 for i in range(2 * len(codes) * times))

    put("ishne", "two_leads", make())
    put("ishne", "text", make(text=b"some text"))
    put("ishne", "total", make(count=40))
    put("ishne", "no_count", make(count=0, checksum=0))
    put("ishne", "twelve", make(codes=range(5, 17), resolutions=[1000] * 12, times=4))
    put("ishne", "fault", make()[:-4] + b"\0\x80\0\x80")
    put("ishne", "checksum", make(checksum=1))
    put("ishne", "vectors", make(codes=(2, 3, 4), resolutions=(1000, 1000, 1000)))
    put("ishne", "absent", make(codes=(-9, 6, 11, 27), resolutions=(1, 1000, 0, -9)))
    put("ishne", "flat", make(codes=(6, 11), times=4)[:-16] + b"\1\0\0\x80\2\0\0\x80\3\0\0\x80\4\0\0\x80")
    put("ishne", "cut_off", make()[:-3])
    put("ishne", "annotations", make(magic=b"ANN  1.0"))
    put("ishne", "no_rate", make(rate=0))
    put("ishne", "no_leads", make(leads=0))
    put("ishne", "many_leads", make(leads=13))
    put("ishne", "beyond", make(begin=2**31 - 1))


def model():
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "x.csv"
        subprocess.run([PROGRAM, "generate", "--samples", "30000", "--out", data], check=True)
        subprocess.run([PROGRAM, "run", data, "--rate", "250", "--device", "cpu", "-q", "--no-report", "--set", "vae.epochs=1",
                        "--set", "vae.channels=[2]", "--set", "vae.latents=1", "--set", "rows.points=64", "--out", folder + "/out"],
                       check=True)
        contents = pathlib.Path(folder, "out/model.safetensors").read_bytes()
    put("model", "whole", contents)
    put("model", "cut_off", contents[:-4])
    for name, header in (("empty", {}), ("other", {"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})):
        text = json.dumps(header).encode()
        put("model", name, struct.pack("<Q", len(text)) + text + bytes(4))


def packed():
    text = b"mV\n" + b"".join(b"%d\n" % (i % 100) for i in range(200))
    put("packed", "gzip", gzip.compress(text, mtime=0))
    put("packed", "members", gzip.compress(text[:50], mtime=0) + gzip.compress(text[50:], mtime=0))
    put("packed", "gzip_cut_off", gzip.compress(text, mtime=0)[:-6])
    frame = b"\x28\xb5\x2f\xfd\x20"  # one segment; its size, then one raw block, and one byte 100 times
    put("packed", "zstd", frame + bytes([55]) + struct.pack("<I", 1 | 55 << 3)[:3] + text[:55])
    put("packed", "zstd_run", frame + bytes([100]) + struct.pack("<I", 1 | 1 << 1 | 100 << 3)[:3] + b"1")
    put("packed", "xz", lzma.compress(text))
    put("packed", "bzip2", bz2.compress(text) + bz2.compress(text[:9]))
    put("packed", "text", text)


def npy(values, shape, kind="<f4"):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (kind, "".join(f"{n}," for n in shape))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(
        "<%d%s" % (len(values), "q" if kind == "<i8" else "f"), *values)


def arrays():
    put("npy", "vector", npy([1.0, 2.5, float("nan"), -3.0], (4,)))
    put("npy", "matrix", npy([float(i % 5) for i in range(24)], (2, 12)))
    put("npy", "times", npy([v for i in range(70) for v in (i / 250, float(i * i % 7))], (70, 2)))
    put("npy", "whole", npy([1, -2, 3], (3,), "<i8"))
    put("npy", "fortran", npy([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3)).replace(b"False,", b"True, "))
    put("npy", "cut_off", npy([1.0, 2.0], (2000,)))
    put("mat", "level_4", struct.pack("<5i", 30, 2, 3, 0, 4) + b"val\0" + struct.pack("<6h", 1, 2, 3, 4, 5, 6) +
        struct.pack("<5i", 0, 1, 1, 0, 3) + b"fs\0" + struct.pack("<d", 360))
    put("mat", "big_endian", struct.pack(">5i", 1010, 1, 2, 0, 2) + b"x\0" + struct.pack(">2f", 1, 2))

    def part(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    def array(name, rows, columns, values):
        return part(14, part(6, struct.pack("<II", 6, 0)) + part(5, struct.pack("<ii", rows, columns)) +
                    part(1, name) + part(9, struct.pack("<%dd" % len(values), *values)))

    def packed_part(data):
        data = zlib.compress(data)
        return struct.pack("<II", 15, len(data)) + data

    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    put("mat", "level_5", head + array(b"ecg", 2, 3, range(6)) + array(b"Fs", 1, 1, [500]))
    put("mat", "compressed", head + packed_part(array(b"val", 3, 1, [1, 2, 3])) + packed_part(array(b"fs", 1, 1, [250])))
    put("mat", "several", head + array(b"a", 1, 2, [1, 2]) + array(b"b", 1, 2, [1, 2]))
    put("mat", "hdf5", b"MATLAB 7.3 MAT-file")


def waves_of_result():
    """Writes the files of a result that have P, QRS and T waves. At 0.05 Hz it has three hours."""
    rows = "".join(f"{sample},1,0.5,0,{at - 0.2},{at - 0.15},{at - 0.1},{at - 0.04},{at + 0.05},{at + 0.3},\n"
                   for sample, at in ((15, 0.15), (65, 0.65), (205, 2.05), (265, 2.65), (305, 3.05)))
    put("result", "beats_with_waves", "beats.csv\nsample,kept,score,anomalous,p_onset_s,p_peak_s,p_end_s,qrs_onset_s,"
        "qrs_end_s,t_peak_s,t_end_s\n" + rows)
    put("result", "non_conducted_p", b"report/non_conducted_p.npy\n" + npy([20, 30, 100, 110], (2, 2), "<i8"))
    hour = {"beats": 9, "pr_ms": 160.5, "qrs_ms": None, "qt_ms": 400, "qtc_ms": 420.1, "p_share": 1,
            "st_mv": {"mV": -0.05}, "non_conducted_p": 1}
    summary = json.loads((HERE / "small_summary.json").read_text())
    summary["sample_rate"]["hz"] = 0.05
    summary["waves"] = hour | {"longest_qtc": {"qtc_ms": 444, "begin_s": 60}, "hours": [hour, hour, hour]}
    put("result", "summary_with_waves", "summary.json\n" + json.dumps(summary, indent=1))


def result():
    """Writes the files of a result, much as tests/fuzz/result.cpp does."""
    put("result", "beats", "beats.csv\nbeat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,latent_0,latent_1,"
        "score,anomalous,rhythm_score,quality\n0,15,0.15,,0.5,50,1,train,1,-1,7.5,1,0.5,flat\n"
        "1,65,0.65,0.5,1.4,,0,,,,,,,good\n2,205,2.05,1.4,,,1,test,2,0.5,-0.25,0,0,good\n")
    put("result", "quality", "quality.csv\nfrom_s,to_s,quality\n0,1,flat\n3,4,noisy\n")
    put("result", "generated", "generated.csv\nvalue_0,value_1,value_2,value_3\n1,2,3,4\n-1,0.1,0,1e-9\n")
    put("result", "config", 'config.json\n{"method":"published"}')
    put("result", "summary", "summary.json\n" + (HERE / "small_summary.json").read_text())
    waves_of_result()
    for name, shape in (("envelope", (7, 2)), ("strips", (2, 8)), ("rows", (2, 4)), ("grid", (4, 4)), ("reference", (2, 4))):
        values = [float(i % 5) for i in range(shape[0] * shape[1])]
        put("result", name, b"report/%s.npy\n" % name.encode() + npy(values, shape))
    put("result", "strip_beats", b"report/strip_beats.npy\n" + npy([1, 0], (2,), "<i8"))
    put("result", "leads_quality", 'quality.csv\nfrom_s,to_s,quality,lead\n0,1,flat,0\n0,2,noisy,1\n')
    put("result", "leads_envelopes", b"report/other_envelopes.npy\n" + npy([0.5] * 400, (1, 400, 1)))
    put("result", "leads_strips", b"report/strips.npy\n" + npy([0.5] * 32, (2, 2, 8)))
    put("result", "leads_reference", b"report/reference.npy\n" + npy([1.0, 2.0] * 8, (2, 2, 4)))
    put("result", "leads_rows", b"report/row_leads.npy\n" + npy([1, 0], (2,), "<i8"))
    put("result", "leads_poor", b"report/poor.npy\n" + npy([0, 100, 1, 100, 400, 3], (2, 3), "<i8"))


for make in (csv, cells, corrections, config, wfdb, annotations, edf, ishne, model, packed, arrays, result):
    make()
