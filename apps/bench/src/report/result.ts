/** One line of the result table: a measured value and, if there is one, its goal. */
export interface ResultLine {
  bench: string;
  what: string;
  value: string;
  goal?: string;
  passed?: boolean;
  /** How near the goal is: 1 if it is just met, less if it is missed. */
  share?: number;
  /** True for a goal that does not depend on time or load, so that it must be met in every run. */
  isGuarantee?: true;
}

/** Values of one operation for several sizes, which a chart shows as a line. */
export interface GrowthCurve {
  name: string;
  points: { size: number; ratio: number }[];
}

/** Result of one benchmark: `lines` are for the table, `figures` for the recorded JSON, `curves` for a chart. */
export interface BenchResult {
  bench: string;
  lines: ResultLine[];
  figures: unknown;
  curves?: GrowthCurve[];
}

/** Creates a line of the result table that passes when `value` is at least `goal`. */
export function atLeast(bench: string, what: string, value: number, goal: number, unit = ''): ResultLine {
  return {
    bench,
    what,
    value: formatValue(value, unit),
    goal: `≥ ${formatValue(goal, unit)}`,
    passed: value >= goal,
    share: value / goal,
  };
}

/** Creates a line of the result table that passes when `value` is at most `goal`. */
export function atMost(bench: string, what: string, value: number, goal: number, unit = ''): ResultLine {
  return {
    bench,
    what,
    value: formatValue(value, unit),
    goal: `≤ ${formatValue(goal, unit)}`,
    passed: value <= goal,
    share: goal / value,
  };
}

/** Creates a line of the result table that passes when nothing of that kind was counted, in every run. */
export function mustBeZero(bench: string, what: string, count: number): ResultLine {
  return asGuarantee(atMost(bench, what, count, 0));
}

/** Creates a line of the result table for a measured value without a goal. */
export function lineWithoutGoal(bench: string, what: string, value: number, unit = ''): ResultLine {
  return { bench, what, value: formatValue(value, unit) };
}

function formatValue(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return unit === '' ? text : `${text} ${unit}`;
}

/** Marks a line whose goal must be met in every run. */
export function asGuarantee(line: ResultLine): ResultLine {
  return { ...line, isGuarantee: true };
}

/** Removes a goal that depends on time or load, for runs with a load for which the goals are not defined. */
export function withoutTimeGoal(line: ResultLine): ResultLine {
  if (line.isGuarantee) return line;
  const { bench, what, value } = line;
  return { bench, what, value };
}
