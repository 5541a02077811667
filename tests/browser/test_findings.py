#!/usr/bin/env python3
"""Checks what the page's script says of beats and episodes that are made up, on the page of ten seconds."""
import unittest

from page_checks import opened, run_pages
from results import ten_seconds

# Beats every 0.8 s of the classes that the letters name; a '|' breaks the interval before it.
PRETEND = """
function pretend(letters, list = []) {
  const classes = [], flags = [];
  for (const letter of letters) {
    if (letter === '|') {
      flags[flags.length - 1] &= ~4;
      continue;
    }
    classes.push(letter.charCodeAt(0));
    flags.push(5);
  }
  flags[flags.length - 1] = 1;
  Object.assign(arrays, {classes, flags, samples: classes.map((_, i) => Math.round(0.8 * unit * i)),
                         shapes: classes.map(() => 0), scores: classes.map(() => 0)});
  facts.length = 0.8 * classes.length;
  episodes = list.map((one) => ({beats: 0, rate: null, confidence: null, quality: 'good', isLow: false, ...one}));
  data.episodes = {};
  data.poor = [];
  delete summary.findings;
}
const words = () => findingsOf().map((finding) => finding.words);
"""


class Findings(unittest.TestCase):
    def run_js(self, expression):
        return self.browser.run(expression)

    def setUp(self):
        self.context = opened(self.result.page)
        self.browser = self.context.__enter__()
        self.addCleanup(self.context.__exit__, None, None, None)
        self.run_js(PRETEND)

    def counts(self, letters, episodes="[]", letter="V"):
        return self.run_js(f"(() => {{ pretend('{letters}', {episodes}); const r = runsOf('{letter}');"
                           " return [r.beats, r.alone, r.couplets, r.runs, r.longest?.beats ?? 0, r.inFibrillation]; })()")

    def words(self, letters, episodes="[]"):
        return self.run_js(f"pretend('{letters}', {episodes}); words()")

    def test_beats_stand_alone_in_couplets_and_in_runs(self):
        self.assertEqual(self.counts("VNVVNVVVVNVVVNV"), [11, 2, 1, 2, 4, 0])
        self.assertEqual(self.counts("NN"), [0, 0, 0, 0, 0, 0])
        self.assertEqual(self.counts("NVV|VN"), [3, 1, 1, 0, 0, 0], "an unknown interval ends a run")
        self.assertEqual(self.run_js("pretend('NVVVN'); [runsOf('V').longest.first, runsOf('V').fastest.rate.toFixed(1)]"),
                         [1, "75.0"])

    def test_beats_in_fibrillation_are_counted_apart(self):
        self.assertEqual(self.counts("VNVVVNVVN", "[{from: 1.6, to: 3.2, label: 'VF'}]"), [6, 1, 1, 0, 0, 3])
        self.assertEqual(self.run_js("pretend('NSNSN'); arrays.flags[1] |= 16; [runsOf('S').beats, runsOf('S').uncounted,"
                                     " windowsOf(facts.length)[0].classes.S]"), [1, 1, 1], "S in atrial fibrillation")

    def test_episodes_are_ordered_by_severity(self):
        episodes = ("[{from: 100, to: 300, label: 'AFIB'}, {from: 20, to: 23.5, label: 'PAUSE'},"
                    " {from: 30, to: 32.1, label: 'PAUSE'}, {from: 10, to: 11, label: 'VT', beats: 3, rate: 150},"
                    " {from: 1, to: 2.5, label: 'VT', beats: 5, rate: 160}, {from: 400, to: 401, label: 'V2'},"
                    " {from: 500, to: 510, label: 'NOISE'}, {from: 600, to: 620, label: 'VF', confidence: 0.2}]")
        self.assertEqual(self.words("N" * 1000, episodes),
                         ["ventricular fibrillation for 20 s, low confidence (0.20)",
                          "ventricular tachycardia 2 times, the longest 5 beats at 160 a minute",
                          "atrial fibrillation for 3 min 20 s (25.0 % of the recording)",
                          "2 pauses, the longest 3.5 s"])

    def test_poor_signal_is_said(self):
        episodes = ("[{from: 1, to: 2.5, label: 'VT', beats: 5, rate: 160},"
                    " {from: 10, to: 12, label: 'VT', beats: 6, rate: 150, quality: 'noisy'},"
                    " {from: 50, to: 60, label: 'VF', quality: 'noisy'}]")
        words = self.words("N" * 1000, episodes)
        self.assertEqual(words[:2], ["ventricular fibrillation for 10 s", "ventricular tachycardia, 5 beats at 160 a minute"])
        self.assertIn("in poor signal: ventricular tachycardia, 6 beats at 150 a minute", words)

    def test_no_fibrillation_is_said_only_where_it_was_looked_for(self):
        self.assertEqual(self.words("N" * 1000), ["no atrial fibrillation found", "longest interval between beats 0.8 s"])
        self.assertEqual(self.words("N" * 10), ["longest interval between beats 0.8 s"])
        self.assertEqual(self.run_js("pretend('N'.repeat(1000)); summary.findings = {af: {assessed_s: 0}}; [...words(), ...undetermined()]"),
                         ["longest interval between beats 0.8 s",
                          "Atrial fibrillation was looked for in 0 % of the recording."])

    def test_what_is_undetermined(self):
        self.assertEqual(self.run_js("pretend('N'.repeat(1000)); undetermined()"), [])
        self.assertEqual(self.run_js("pretend('N'.repeat(998) + 'QQ'); data.poor = [[0, 80, 'noisy']];"
                                     "data.templates[1] = {paced: 'ventricles'}; arrays.shapes[998] = 2; undetermined()"),
                         ["2 beats are unclassified (Q): 1 paced in the ventricles and 1 probable artifact.",
                          "10.0 % of the recording is poor signal and may hide beats and episodes."])
        few = self.run_js("pretend('NNNNNNNNNN'); undetermined()")
        self.assertTrue(few[0].startswith("With few beats (10 in good signal)"), few)
        self.assertTrue(few[1].startswith("Atrial fibrillation: 8 s is too short to exclude it"), few)

    def test_windows_hold_every_beat_once(self):
        windows = self.run_js("pretend('N'.repeat(100) + 'V' + 'N'.repeat(199)); arrays.flags[100] |= 2; windowsOf(60)")
        self.assertEqual(len(windows), 4)
        self.assertEqual(sum(one["beats"] for one in windows), 300)
        self.assertEqual([one["abnormal"] for one in windows], [0, 1, 0, 0])
        self.assertAlmostEqual(windows[0]["slowest"], 75, delta=0.2)
        self.assertAlmostEqual(windows[0]["fastest"], 75, delta=0.2)

    def test_a_pause_and_an_asystole_of_one_interval_are_one_row(self):
        self.assertEqual(self.run_js("""
            data.episodes = {labels: ['PAUSE', 'ASYS'], qualities: ['good']};
            Object.assign(arrays, {episode_label: [0, 1, 0], episode_from: [1000, 1000, 9000],
                episode_length: [4000, 4000, 2500], episode_beats: [2, 2, 2], episode_rate: [-1, -1, -1],
                episode_confidence: [900, 400, 900], episode_quality: [0, 0, 0]});
            findEpisodes();
            episodes.map((one) => sure(one) + ' ' + one.from)"""), ["ASYS? 1", "PAUSE 9"])

    def test_the_text_of_a_beat_has_minus_signs(self):
        text = self.run_js("pretend('NNN'); arrays.scores[1] = -240; arrays.rhythm = [0, -0.3, 0]; beatText(1)")
        self.assertIn("score −2.4 (waveform −2.1, rhythm −0.3)", text)

    def test_numbers_are_as_people_read_them(self):
        for expression, text in (("percent(0.9978)", "99.78 %"), ("percent(0)", "0 %"), ("percent(0.00024)", "0.024 %"),
                                 ("duration(80000)", "22 h 13 min"), ("duration(1805.6)", "30 min 6 s"),
                                 ("fixed(-0.04, 1)", "0.0"), ("fixed(-1.5, 1)", "−1.5"), ("grouped(1234567)", "1,234,567"),
                                 ("clock(7509.5, 1)", "2:05:09.5"), ("hoursMinutes(7500)", "2:05"),
                                 ("listed(['a', 'b', 'c'])", "a, b and c"), ("fixed(null, 1)", "–"),
                                 ("shortName('aVR')", "aVR"), ("shortName('x'.repeat(21))", "x" * 19 + "…")):
            self.assertEqual(self.run_js(expression), text, expression)


if __name__ == "__main__":
    run_pages({"ten": ten_seconds}, {Findings: "ten"})
