import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../../..');
const RETIRED_NAMES_FILE = 'packages/testing/vocabulary/retired-names.txt';
const TEXT_FILES = ['*.ts', '*.mjs', '*.cjs', '*.md', '*.yml', '*.conf', '.ci/run'];

test('no source, comment or document contains a name that was replaced by a term of the glossary', () => {
  const retired = new Set(readFileSync(join(ROOT, RETIRED_NAMES_FILE), 'utf8').split('\n').filter(Boolean));
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...TEXT_FILES], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const found = paths
    .split('\n')
    .filter((path) => path !== '' && existsInTree(path))
    .flatMap((path) => wordsOf(path).flatMap((word) => (retired.has(word) ? [`${path}: ${word}`] : [])));
  expect(retired.size).toBeGreaterThan(1_000);
  expect(found).toEqual([]);
});

function wordsOf(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8').match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** Returns false for a file whose deletion is not yet committed. */
function existsInTree(path: string): boolean {
  return statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined;
}
