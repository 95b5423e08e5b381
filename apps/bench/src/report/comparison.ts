import type { ResultLine } from './result.js';

/** Results of one run of each build; the two runs followed each other. */
export interface RunPair {
  present: readonly ResultLine[];
  other: readonly ResultLine[];
}

export interface ComparedValue {
  bench: string;
  what: string;
  /** Median of the runs of the present build, in the unit of the bench. */
  present: number;
  /** Median of the runs of the other build. */
  other: number;
  /** Median of the ratios of the pairs, present divided by other. */
  ratio: number;
  /** Smallest and largest ratio of a pair. */
  range: readonly [number, number];
}

/** Compares the values that both builds report, in the order in which the present build reports them. */
export function compareRuns(pairs: readonly RunPair[]): ComparedValue[] {
  const first = pairs[0]?.present ?? [];
  return first.flatMap(({ bench, what }) => {
    const find = (lines: readonly ResultLine[]): number =>
      toNumber(lines.find((line) => line.bench === bench && line.what === what)?.value);
    const values = pairs
      .map(({ present, other }) => ({ present: find(present), other: find(other) }))
      .filter(({ present, other }) => Number.isFinite(present) && Number.isFinite(other) && other !== 0);
    if (values.length === 0) return [];
    const ratios = values.map(({ present, other }) => present / other);
    return [
      {
        bench,
        what,
        present: median(values.map(({ present }) => present)),
        other: median(values.map(({ other }) => other)),
        ratio: median(ratios),
        range: [Math.min(...ratios), Math.max(...ratios)] as const,
      },
    ];
  });
}

/** Returns the number at the start of a value such as `1,234.5 ms`, or NaN. */
function toNumber(value = ''): number {
  return Number.parseFloat(value.replaceAll(',', ''));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
