// tests/support/small_result.h — a result small enough that the content of its files is known.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "app/output/run_result.h"

namespace beatscan {

// A result with five candidates at 100 Hz, of which the first and the third are accepted.
inline RunResult small_result() {
  RunResult result;
  result.input = {.path = "folder/x.csv",
                  .name = "x",
                  .bytes = 1234,
                  .sha256 = "abc",
                  .signal = {.name = "mV"},
                  .sample_rate_hz = 100,
                  .sample_rate_source = "command line",
                  .samples = 400,
                  .missing = 3,
                  .gaps = 2,
                  .range = {-0.5f, 1.25f},
                  .leads = {{"mV", "", 3, 2, {-0.5f, 1.25f}}}};
  result.beats = {.samples_to_peak = 5, .kept = {0, 2}, .row_points = 4};
  result.beats.found.r_peaks = {15, 65, 205, 265, 305};
  result.beats.found.outcomes = {Outcome::kept, Outcome::too_long, Outcome::kept, Outcome::in_gap, Outcome::last};
  result.beats.found.broken = {0, 0, 0, 1};
  result.model.parameters = {{"conv0.weight", {2, 1, 3}, {1, 2, 3, 4, 5, 6}}, {"sigma.alpha", {1}, {0.5f}}};
  result.model.training = {.loss_per_epoch = {3, 2.5},
                           .test_loss = 2.25,
                           .split = {Split::train, Split::test},
                           .mean_beat_error = 0.2,
                           .generated = {1, 2, 3, 4, -1, 0.1f, 0, 1e-9f}};
  result.model.diagnosis = {.active_latents = 1, .latent_variance = {1, 0}, .test_error = 0.1, .mean_beat_error = 0.2};
  result.scored.rows = {.reconstruction_error = {0.5f, 0.1f}, .kl = {0.25f, 3}, .latents = {1, -1, 2, 0.5f}};
  result.scored.scores = {.score = {-0.25f, 7.5f}, .anomalous = {0, 1}, .threshold = 5, .anomalous_count = 1};
  result.report = {.beats = {2},
                   .strip_samples = 8,
                   .strips = std::vector<float>(8),
                   .rows = {1, 2, 3, 4},
                   .decoded = {1, 2, 3, 3},
                   .grid_latents = {0, 1}};
  result.run = {.command = "beatscan run folder/x.csv --out 'a folder'",
                .device_kind = "cpu",
                .device = {.name = "a processor", .memory_bytes = 8},
                .stages = {{"ingest", 0.1, 0.5, 1'000'000'000}},
                .wall_s = 0.75};
  return result;
}

// The same with method r_peaks. The first of four blocks is flat and the last is noisy. The beats at 15 and 305 are in
// these.
inline RunResult ranked_result() {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  RunResult result = small_result();
  result.beats.found.r_peaks = {15.25, 65, 204.75, 265, 305};
  result.beats.found.quality = {Quality::flat, Quality::good, Quality::good, Quality::good, Quality::noisy};
  result.beats.found.outcomes = {Outcome::kept, Outcome::in_gap, Outcome::kept, Outcome::in_gap, Outcome::in_gap};
  result.beats.found.trusted = {0, 0, 1, 0, 0};
  result.beats.quality = SignalQuality{{Quality::flat, Quality::good, Quality::good, Quality::noisy}, 100};
  result.beats.lead_quality = {*result.beats.quality};
  result.beats.leads = {0};
  result.beats.rhythm = Rhythm{{kNone, 0.5f, 2, 0.75f, kNone}, {0.5f, 2, 0.75f, kNone, kNone}, {0, 6, 0, 1, 0}, {}};
  result.beats.rhythm->regular = {0, 0, 1, 0, 0};
  const BeatScores scores{.score = {7.5f, -0.25f}, .anomalous = {1, 0}, .threshold = 5, .anomalous_count = 1};
  const BeatScores baseline{.score = {6.5f, 4.5f}, .anomalous = {1, 1}, .threshold = 4, .anomalous_count = 2};
  result.scored.scores = scores;
  result.scored.ranking = Ranking{scores, baseline, {4.5f, -0.5f}, {3, 0.25f}, {1, 2.5f}, {0, 0}};
  return result;
}

// The same as ranked_result() with beat classes, a pause of 2.5 s and 3 s without a heartbeat. Atrial fibrillation is
// undetermined.
inline RunResult judged_result() {
  RunResult result = ranked_result();
  result.classes.findings = Findings{{BeatClass::ventricular, BeatClass::unknown, BeatClass::normal,
                                      BeatClass::ventricular, BeatClass::supraventricular},
                                     {1, -1, 0, -1, -1},
                                     {}};
  result.classes.findings->posteriors = {0.25f, 0, 0.75f, 0, 0.125f, 0, 0, 0.875f, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
  result.scored.ranking->learned = {2, -4};
  result.rhythm.findings.emplace();
  result.rhythm.findings->episodes.linked.assign(4, 1);
  result.rhythm.findings->episodes.hidden.assign(4, 0);
  const double hz = *result.input.sample_rate_hz;
  result.rhythm.findings->episodes.list = {{0, 2.5 * hz, EpisodeLabel::pause, 2},
                                           {3 * hz, 6 * hz, EpisodeLabel::asystole, 2}};
  return result;
}

}  // namespace beatscan
