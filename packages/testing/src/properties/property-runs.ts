/**
 * How many runs a property or model test makes: `count` in the fast run, a multiple of it where PROPERTY_RUNS says so
 * (`npm run test:long`). fast-check prints the seed of a failure; PROPERTY_SEED repeats it.
 */
export function propertyRuns(count: number): number {
  const factor = Number(process.env['PROPERTY_RUNS'] ?? 1);
  if (!(factor > 0))
    throw new Error('PROPERTY_RUNS must be a positive number: the factor for the runs of each property');
  return Math.max(1, Math.round(count * factor));
}

/** Is this `npm run test:long`, which tries everything that the fast run tries samples of? */
export function isLongRun(): boolean {
  return propertyRuns(100) > 100;
}

/** The cases that a run tries: all of them in a long one, else `count`, spread evenly over the list. */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isLongRun() || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, index) => cases[Math.floor((index * cases.length) / count)] as Case);
}
