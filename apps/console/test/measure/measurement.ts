/** A measured value with what it must not exceed, or must reach. */
export interface Measurement {
  what: string;
  value: number;
  /** The largest value, or the smallest if `atLeast`. */
  budget: number;
  unit: string;
  atLeast?: boolean;
  details?: string;
}

export function isMissed({ value, budget, atLeast = false }: Measurement): boolean {
  // A value that is missing is missed.
  return atLeast ? !(value >= budget) : !(value <= budget);
}

/** Returns a measurement of the median of repeated values. */
export function ofMedian(values: readonly number[], measurement: Omit<Measurement, 'value' | 'details'>): Measurement {
  const details = `median of ${values.map((value) => value.toFixed(0)).join(', ')}`;
  return { ...measurement, value: percentile(values, 0.5), details };
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}
