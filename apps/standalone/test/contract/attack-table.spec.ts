import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../../..');
const TABLE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const ATTACKS = Array.from({ length: 45 }, (_, index) => `A${index + 1}`);

/** Numbers and test files of the rows of the attack table. */
const ROWS = TABLE.split('\n').flatMap((line) => {
  const [, number] = /^\| (A\d+) +\|/.exec(line) ?? [];
  const files = [...line.matchAll(/\]\(\.\.\/([^)]+\.spec\.ts)\)/g)].map(([, file = '']) => file);
  return number === undefined ? [] : [{ number, files }];
});

/** Returns the numbers with which titles of suites and tests in a file begin, such as `'A1, A2 access matrix …'`. */
function numbersInTitles(file: string): Set<string> {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const titles = source.matchAll(/\b(?:describe|test|it)\w*(?:\.each\([^]*?\))?\(\s*['"`]((?:A\d+(?:, )?)+) \S/g);
  return new Set([...titles].flatMap(([, numbers = '']) => numbers.split(', ')));
}

describe('the attack table', () => {
  test('has one row for each of the attacks A1 to A45, in order', () => {
    expect(ROWS.map(({ number }) => number)).toEqual(ATTACKS);
  });

  test.each(ROWS)('names for $number only files with a test title that begins with the number', ({ number, files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
      expect([file, [...numbersInTitles(file)]]).toEqual([file, expect.arrayContaining([number])]);
    }
  });

  test('names every suite whose titles begin with the number of an attack', () => {
    const suites = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.spec.ts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const named = suites
      .split('\n')
      .filter((file) => file !== '' && existsSync(join(ROOT, file)))
      .flatMap((file) => [...numbersInTitles(file)].map((number) => `${number} ${file}`));
    const inTable = ROWS.flatMap(({ number, files }) => files.map((file) => `${number} ${file}`));
    expect(named.toSorted()).toEqual(inTable.toSorted());
  });
});
