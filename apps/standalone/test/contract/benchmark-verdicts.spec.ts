import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const FOLDER = join(import.meta.dirname, '../../../../docs/benchmarks');

interface RecordedRun {
  time: string;
  results: { bench: string; lines: { passed?: boolean }[] }[];
}

/** Date and verdict of the last recorded run of each bench: FAIL if it misses one of its goals. */
function lastRecordedVerdicts(): Record<string, string> {
  const runs = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as RecordedRun)
    .toSorted((a, b) => a.time.localeCompare(b.time));
  const verdicts = runs.flatMap(({ time, results }) =>
    results.map(({ bench, lines }): [string, string] => [
      bench.toLowerCase(),
      `${time.slice(0, 10)} ${lines.some(({ passed }) => passed === false) ? 'FAIL' : 'pass'}`,
    ]),
  );
  return Object.fromEntries(verdicts);
}

/** Date and verdict of each bench in the table of the page. */
function verdictsOfPage(): Record<string, string> {
  const page = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const rows = page.matchAll(/^\| \[`(\w+)`\].*\| (\d{4}-\d\d-\d\d) +\| (\w+) +\|$/gm);
  return Object.fromEntries([...rows].map(([, bench = '', date, verdict]) => [bench, `${date} ${verdict}`]));
}

describe('the table of benchmarks', () => {
  test('has date and verdict of the last recorded run of each bench', () => {
    expect(verdictsOfPage()).toMatchObject(lastRecordedVerdicts());
  });
});
