/** One line of the table: what was measured, and what it was to be. */
export interface ResultLine {
  bench: string;
  what: string;
  value: string;
  goal?: string;
  passed?: boolean;
}

/** What one bench brought: lines for people, figures for programs. */
export interface BenchResult {
  bench: string;
  lines: ResultLine[];
  figures: unknown;
}

export function atLeast(bench: string, what: string, value: number, goal: number, unit = ''): ResultLine {
  return { bench, what, value: said(value, unit), goal: `≥ ${said(goal, unit)}`, passed: value >= goal };
}

export function atMost(bench: string, what: string, value: number, goal: number, unit = ''): ResultLine {
  return { bench, what, value: said(value, unit), goal: `≤ ${said(goal, unit)}`, passed: value <= goal };
}

export function figure(bench: string, what: string, value: number, unit = ''): ResultLine {
  return { bench, what, value: said(value, unit) };
}

function said(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return unit === '' ? text : `${text} ${unit}`;
}
