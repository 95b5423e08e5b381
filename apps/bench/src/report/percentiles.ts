/** Percentiles of measured times, in milliseconds. */
export interface Percentiles {
  p50: number;
  p99: number;
  p999: number;
  max: number;
  count: number;
}

/** Computes percentiles of all values by nearest rank, without a histogram; NaN when there are no values. */
export function percentilesOf(measured: readonly number[]): Percentiles {
  const sorted = Float64Array.from(measured).sort();
  const percentile = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return {
    p50: percentile(0.5),
    p99: percentile(0.99),
    p999: percentile(0.999),
    max: percentile(1),
    count: sorted.length,
  };
}

/** Returns the median; the lower of the two middle values for an even count. NaN when there are no values. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
