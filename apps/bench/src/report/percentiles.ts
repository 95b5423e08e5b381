/** Milliseconds. */
export interface Percentiles {
  p50: number;
  p99: number;
  p999: number;
  max: number;
  count: number;
}

/** Of what was measured, by nearest rank; all of it, no histogram. */
export function percentilesOf(measured: readonly number[]): Percentiles {
  const sorted = Float64Array.from(measured).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1), count: sorted.length };
}

/** The middle one; of an even number the lower. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
