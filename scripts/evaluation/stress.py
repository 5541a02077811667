"""The noise stress test: the noisy records of nstdb, and mixtures of them with the clean records they are made from."""
import re
import shutil

import numpy as np
import wfdb

from evaluation.set_figures import f1_of, precision_of
from evaluation.sets import read_set

# Names the lead of a mixture that is noisy. nstdb itself, with noise on both leads, needs no mixture.
FIRST, BOTH = "the noisy first lead alone", "noise on both leads"
MIXTURES = {FIRST: (True,), "noise on the first of two": (True, False),
            "noise on the second of two": (False, True)}
NAME = re.compile(r"(.+)e(_?)(\d+)")  # 118e_6 is 118 at -6 dB


def clean_name(name):
    return NAME.fullmatch(name)[1]


def snr_db(name):
    found = NAME.fullmatch(name)
    return int(found[3]) * (-1 if found[2] else 1)


def write_mixture(noisy, clean, name, is_noisy, folder):
    """Writes a record whose lead i is that of the noisy record if is_noisy[i], otherwise that of the clean one."""
    leads = [wfdb.rdrecord(str(noisy / name if of_noisy else clean / clean_name(name)), channels=[i], physical=False)
             for i, of_noisy in enumerate(is_noisy)]
    if len({(lead.fs, lead.sig_len) for lead in leads}) > 1:
        raise ValueError(f"{name} and {clean_name(name)} differ in rate or length")

    def of_leads(field):
        return [getattr(lead, field)[0] for lead in leads]

    wfdb.wrsamp(name, fs=leads[0].fs, units=of_leads("units"), sig_name=of_leads("sig_name"),
                d_signal=np.concatenate([lead.d_signal for lead in leads], axis=1), fmt=["16"] * len(leads),
                adc_gain=of_leads("adc_gain"), baseline=of_leads("baseline"), write_dir=str(folder))
    shutil.copy(noisy / f"{name}.atr", folder)


def mixtures(noisy_set, clean_set, folder):
    """Writes the mixtures and returns {condition: RecordSet}, with the noisy set itself."""
    result = {BOTH: noisy_set}
    for i, (condition, is_noisy) in enumerate(MIXTURES.items()):
        place = folder / f"mixture_{i}"
        place.mkdir()
        for name in noisy_set.names:
            write_mixture(noisy_set.folder, clean_set.folder, name, is_noisy, place)
        result[condition] = read_set(place, condition.replace(" ", "_"))
    return result


def by_noise(figures, clean_figures=None):
    """Returns {SNR in dB: {"f1", "V_average_precision"}}, the least noise first, and "clean" if known."""
    names = [record.name for record in figures.records]
    groups = {snr: [name for name in names if snr_db(name) == snr] for snr in sorted(map(snr_db, names), reverse=True)}
    result = {"clean": both_figures(clean_figures, {clean_name(name) for name in names})} if clean_figures else {}
    return result | {f"{snr} dB": both_figures(figures, group) for snr, group in groups.items()}


def both_figures(figures, names):
    return {"f1": f1_of(figures, names), "V_average_precision": precision_of(figures, names)}
