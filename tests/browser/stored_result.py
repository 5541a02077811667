"""A result, read from the files in its folder."""

import csv
import json
import os
import struct


def float32(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


class Result:
    """A result, read from the files in its folder."""

    def __init__(self, folder):
        self.page = os.path.join(folder, "report.html")
        with open(os.path.join(folder, "beats.csv")) as file:
            self.beats = list(csv.DictReader(file))
        with open(os.path.join(folder, "summary.json")) as file:
            self.summary = json.load(file)
        self.templates = self.rows_of(folder, "templates.csv")
        self.episodes = self.rows_of(folder, "episodes.csv")
        self.rate = self.summary["sample_rate"]["hz"]
        scored = [i for i, beat in enumerate(self.beats) if beat["score"]]
        # The highest scores come first, of them those in good signal, as in the gallery.
        self.order = sorted(scored, key=lambda i: (self.beats[i].get("quality", "good") != "good",
                                                   -float(self.beats[i]["score"])))

    @staticmethod
    def rows_of(folder, name):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return list(csv.DictReader(file))

    def score(self, beat):
        return float(self.beats[beat]["score"])

    def position(self, beat):
        sample = int(self.beats[beat]["sample"])
        return sample / self.rate if self.rate else sample

    def above(self, hundredths):
        """Returns how many beats in good signal have a higher score."""
        return sum(float32(beat["score"]) > hundredths / 100 for beat in self.beats
                   if beat["score"] and self.is_good(beat))

    @staticmethod
    def is_good(beat):
        return beat.get("quality", "good") == "good"
