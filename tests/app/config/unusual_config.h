// tests/app/config/unusual_config.h — a configuration in which every option differs from the built-in ones.
#pragma once

namespace beatscan {

// A value for every option that is neither the default nor that of the seed configuration.
inline constexpr const char* kUnusual = R"({
  "seed": 7,
  "device": "cpu",
  "method": "r_peaks",
  "pool": {"kind": "managed", "limit_bytes": 4096},
  "ingest": {"column": "x", "leads": ["II", "3"], "time_column": "t", "delimiter": ";", "sample_rate_hz": 123.5,
      "chunk_bytes": 2048, "on_bad": "skip", "decimal": ",", "skip_lines": 3, "missing": -32768.0,
      "variable": "v"},
  "detect": {"band_hz": 14, "smooth_s": 0.05, "distance_s": 0.2, "keep": 0.3},
  "quality": {"bridge_s": 0.03, "model": "q.json"},
  "rows": {"before_s": 0.2, "after_s": 0.4, "low_hz": 1, "high_hz": 30, "points": 128, "reference_beats": 100},
  "rhythm": {"reference_beats": 60, "prev_weight": 0.9, "next_weight": 0.4, "pause_s": 3, "source": "monitor",
      "model": "r.json"},
  "noise": {"most": 4},
  "filter": {"width_s": 0.2, "centred": true, "precision": "float32"},
  "segment": {"window_s": 0.5},
  "embed": {"min_length_s": 0, "max_length_s": 2, "row_span_s": 1.5, "row_points": 64},
  "vae": {"channels": [2, 4], "latents": 3, "kl_weight": 0.5, "learning_rate": 0.02, "last_learning_rate": 0.002,
      "batch_beats": 32, "least_steps": 10, "most_steps": 20, "epochs": 2, "least_beats": 20,
      "train_fraction": 0.5, "generated_beats": 0, "engine": "autograd"},
  "score": {"threshold_deviations": -1.5, "threshold_fraction": 0.1, "median_weight": 2, "nearest_weight": 3,
      "model_weight": 4, "learned_weight": 0.5, "most_drift": 0.5},
  "episodes": {"longest_rr_s": 4, "run_beats": 4, "vt_rate_bpm": 120, "svt_rate_bpm": 110, "cycles": 4,
      "pause_s": 2.5, "asystole_s": 5, "slow_bpm": 45, "fast_bpm": 110, "noise_least_s": 3},
  "classify": {"model": "c.json"},
  "waves": {"model": "w.json", "qtc": "hodges", "st_after_j_s": 0.04},
  "hrv": {"window": 300, "sleep": "22:00-06:30"},
  "output": {"waves": true, "features": true, "nn": true, "only": "VS", "deidentify": true}
})";

}  // namespace beatscan
