import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { readOptions } from '../../src/options.js';
import type { BenchOptions } from '../../src/options.js';

const CI_SCRIPT = resolve(import.meta.dirname, '../../../../.ci/run');
/** The benches that a concurrent program of `.ci/run` names. */
const NAMED_BENCHES = /start_bench_program \S+ main\.js --quick ([a-z0-9 ]+)/g;

test('the programs of .ci/run together run each bench once that --quick runs by default', () => {
  const named = [...readFileSync(CI_SCRIPT, 'utf8').matchAll(NAMED_BENCHES)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const { benches } = readOptions(['--quick'], {}) as BenchOptions;
  expect(named.toSorted()).toEqual(benches.toSorted());
});
