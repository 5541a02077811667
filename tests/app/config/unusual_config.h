// tests/app/config/unusual_config.h — a configuration that differs everywhere from the built-in ones.
#pragma once

namespace beatscan {

// A value for every option, which is neither the default nor that of the seed configuration.
inline constexpr const char* kUnusual = R"({
  "seed": 7, "device": "cpu", "method": "r_peaks",
  "pool": {"kind": "managed", "limit_bytes": 4096},
  "ingest": {"column": "x", "leads": ["II", "3"], "time_column": "t", "delimiter": ";", "sample_rate_hz": 123.5,
             "chunk_bytes": 2048, "on_bad": "skip", "decimal": ",", "skip_lines": 3, "variable": "v"},
  "detect": {"band_hz": 14, "sharp_band_hz": 25, "smooth_s": 0.05, "distance_s": 0.2, "edge_s": 0.01, "block_s": 3,
             "level_blocks": 2, "floor_local": 0.2, "floor_peak": 0.001, "keep": 0.3, "t_soon_s": 0.3,
             "t_soon_height": 0.4, "t_late_s": 0.4, "t_late_sharp": 0.3, "t_late_height": 0.9, "search_rounds": 1,
             "search_gap": 1.5, "search_beats": 7, "search_height": 0.25, "search_soonest_s": 0.3,
             "search_after": 0.3, "search_before": 0.4, "search_candidates": 16, "sharp_gap": 1.3,
             "sharp_height": 0.3, "sharp_soonest_s": 0.2, "sharp_before": 0.8, "sharp_least": 1.2,
             "sharp_most": 1.7, "noise_begins": 14, "noise_full": 8, "blend_begins": 11, "blend_full": 7,
             "blend_band_hz": 30, "noise_rounds": 1, "noise_regained": 0.5, "peak_band_hz": 7, "peak_sigma_s": 0.04,
             "peak_reach_s": 0.08},
  "quality": {"flat_range": 0.1, "clip_s": 0.1, "noisy_rest": 0.4, "noisy_share": 0.6, "noisy_low": 0.2,
              "noisy_high": 0.5, "noisy_between": 0.3, "bridge_s": 0.03, "pause_s": 20, "model": "q.json"},
  "rows": {"before_s": 0.2, "after_s": 0.4, "low_hz": 1, "high_hz": 30, "points": 128, "reference_beats": 100},
  "rhythm": {"reference_beats": 60, "reference_quantile": 0.5, "local_beats": 20, "local_share": 0.5, "cap": 8,
             "prev_weight": 0.9, "next_weight": 0.4, "pause_s": 3, "pause_ratio": 1.5, "pause_weight": 2,
             "typical_spread": 0.1, "regular": 0.1, "source": "monitor", "model": "r.json"},
  "noise": {"band_hz": 30, "after_s": 0.2, "before_s": 0.1, "reach_s": 3, "most": 4},
  "filter": {"width_s": 0.2, "centred": true, "precision": "float32"},
  "segment": {"window_s": 0.5},
  "embed": {"min_length_s": 0, "max_length_s": 2, "row_span_s": 1.5, "row_points": 64},
  "vae": {"channels": [2, 4], "latents": 3, "kl_weight": 0.5, "learning_rate": 0.02, "last_learning_rate": 0.002,
          "batch_beats": 32, "least_steps": 10, "most_steps": 20, "epochs": 2, "least_beats": 20,
          "train_fraction": 0.5, "generated_beats": 0, "engine": "autograd"},
  "score": {"threshold_deviations": -1.5, "threshold_fraction": 0.1, "median_weight": 2, "nearest_weight": 3,
            "model_weight": 4, "learned_weight": 0.5, "nearest_share": 0.2, "model_beats": 8,
            "typical_spread": 0.5, "most_drift": 0.5},
  "episodes": {"shortest_rr_s": 0.25, "longest_rr_s": 4,
               "run_beats": 4, "vt_rate_bpm": 120, "svt_rate_bpm": 110, "vt_part_ratio": 1.5, "cycles": 4,
               "pause_s": 2.5,
               "asystole_s": 5, "slow_bpm": 45, "fast_bpm": 110, "rate_reach": 4, "rate_fewest": 10,
               "rate_least_s": 60, "rate_join_s": 5, "hrv_covered": 0.9, "wide_one_shape": 0.7,
               "wide_variation": 0.3, "wide_fastest_bpm": 220, "wide_slowest_bpm": 90,
               "wide_covered": 0.7, "regular_variation": 0.2, "regular_covered": 0.7,
               "regular_beats": 6, "vf_leakage": 0.4, "vf_leakage_more": 0.7, "vf_rest": 0.2,
               "vf_rest_more": 0.15, "vf_rest_share": 0.7, "vf_slowest_hz": 3, "vf_fastest_hz": 8, "vf_range": 0.3,
               "vf_block_s": 1, "vf_reach_blocks": 4, "vf_join_blocks": 1, "vf_least_blocks": 2, "vfl_leakage": 0.3,
               "vfl_hz": 4, "silent_least_s": 2, "silent_share": 0.3, "silent_beside_s": 0.2, "silent_beats": 6,
               "unrest_hum": 3, "unrest_hum_share": 0.02, "unrest_drift": 4, "unrest_drift_share": 0.2,
               "doubt_hum": 1.5, "doubt_still": 0.2, "doubt_drift": 3, "doubt_drift_share": 0.1, "noise_least_s": 3,
               "noise_join_s": 1},
  "classify": {"model": "c.json"},
  "waves": {"model": "w.json", "qtc": "hodges", "st_after_j_s": 0.04},
  "output": {"waves": true, "features": true}
})";

}  // namespace beatscan
