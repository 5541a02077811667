// The table of heart rate variability.

// Names of the measures by their keys in findings.hrv, with units and decimals.
const kVariability = [
  ['mean_nn_ms', 'mean NN', 'ms', 0], ['sdnn_ms', 'SDNN', 'ms', 1], ['sdann_ms', 'SDANN', 'ms', 1],
  ['rmssd_ms', 'RMSSD', 'ms', 1], ['pnn50_percent', 'pNN50', '%', 2], ['vlf_ms2', 'VLF', 'ms²', 0],
  ['lf_ms2', 'LF', 'ms²', 0], ['hf_ms2', 'HF', 'ms²', 0], ['lf_hf', 'LF/HF', '', 2], ['sd1_ms', 'SD1', 'ms', 1],
  ['sd2_ms', 'SD2', 'ms', 1], ['dfa_alpha1', 'DFA α1', '', 3], ['dfa_alpha2', 'DFA α2', '', 3],
  ['dc_ms', 'deceleration capacity', 'ms', 2], ['hrt_onset_percent', 'turbulence onset', '%', 2],
  ['hrt_slope_ms_per_rr', 'turbulence slope', 'ms/RR', 2]
];

// Returns the measures that have a value; null where there is none.
function variability() {
  const hrv = summary.findings?.hrv ?? {}, known = kVariability.filter(([key]) => exists(hrv[key]));
  if (!known.length) return null;
  return figure(
      'variability', 'Heart rate variability', {
        note: `Of ${grouped(hrv.intervals)} NN intervals of the whole recording; hrv.csv has day, night and windows.`,
        rows: () => known.map(([key]) => ({measure: key, value: hrv[key]}))
      },
      table(
          'numbers', ['measure', 'value', ''],
          known.map(([key, name, unit, decimals]) => [name, fixed(hrv[key], decimals), unit])));
}
