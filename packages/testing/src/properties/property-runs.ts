/**
 * Returns the number of runs of a property or model test: `count`, multiplied by PROPERTY_RUNS if set
 * (`npm run test:long`). fast-check prints the seed of a failure; PROPERTY_SEED reproduces it.
 */
export function propertyRuns(count: number): number {
  const factor = Number(process.env['PROPERTY_RUNS'] ?? 1);
  if (!(factor > 0))
    throw new Error(
      'PROPERTY_RUNS must be a positive number, by which the number of runs of each property is multiplied',
    );
  return Math.max(1, Math.round(count * factor));
}

/** Returns whether the current run is `npm run test:long`, which tests all cases instead of samples. */
export function isLongRun(): boolean {
  return propertyRuns(100) > 100;
}

/** Returns the cases to test: all cases in a long run, otherwise `count` cases spread evenly over the list. */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isLongRun() || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, index) => cases[Math.floor((index * cases.length) / count)] as Case);
}
