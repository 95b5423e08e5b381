import { expect, test } from '@jest/globals';
import type { Finding } from './finding.js';
import { readFuzzOptions, type FuzzOptions } from './fuzz-options.js';
import { describeReport } from './fuzz-report.js';

const ofIteration: Finding = {
  iteration: { kind: 'request', index: 17 },
  what: 'status 500',
  input: 'POST /apis/v2/…',
  output: 'INTERNAL',
};
const ofRun: Finding = { what: 'memory grew by 99 bytes', input: '', output: '{}' };

const linesOf = (findings: Finding[], args: string[]) => {
  const report = {
    findings,
    iterations: { request: 20, frame: 3 },
    frames: 9,
    outcomes: { 500: 1 },
    operations: { called: 1, accepted: 1, declared: 2 },
  };
  return describeReport(report, readFuzzOptions(args) as FuzzOptions).split('\n');
};

test('the report ends with the findings, each with the command that repeats its iteration or the run', () => {
  const lines = linesOf([ofIteration, ofRun], ['--minutes', '1', '--seed', '7']);
  expect(lines.slice(lines.indexOf('seed 7: 20 requests, 9 frames, 2 findings') + 1)).toEqual([
    '',
    '✗ status 500',
    'POST /apis/v2/…',
    '→ INTERNAL',
    'npm run bench -- fuzz --seed 7 --only request:17',
    '',
    '✗ memory grew by 99 bytes',
    '→ {}',
    'npm run bench -- fuzz --seed 7 --minutes 1',
  ]);
});

test('the command contains the numbers of the run and the service that was tested', () => {
  const service = ['--url', 'http://127.0.0.1:8080', '--data-dir', '.data'];
  expect(linesOf([ofRun], ['--seed', '7', '--requests', '9', ...service]).at(-1)).toBe(
    'npm run bench -- fuzz --seed 7 --requests 9 --url http://127.0.0.1:8080 --data-dir .data',
  );
});

test('the report without a finding ends with the counts', () => {
  expect(linesOf([], ['--seed', '7']).at(-1)).toBe('seed 7: 20 requests, 9 frames, 0 findings');
});
