import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { needs } from '@family-watch/testing/requirements/needs';

const DIST = resolve(import.meta.dirname, '../../dist');

/** Runs a built program, with its own servers, and returns what it prints. @throws Error with the output if it fails */
async function run(program: string, ...args: string[]): Promise<string> {
  const options = { env: { ...PROGRAM_ENVIRONMENT }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(process.execPath, [join(DIST, program), ...args], options);
  return stdout;
}

needs('nats-server').test('npm run bench delivers all messages of a short load', async () => {
  expect(await run('main.js', '--quick', 'b1', '--servers', 'gateway')).toMatch(
    /violations found by the checker +0 .* pass/,
  );
});

needs('nats-server', 'nginx').test('npm run bench -- chaos loses nothing in half a minute of faults', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-chaos-'));
  const output = await run(
    'chaos/main.js',
    '--minutes',
    '0.5',
    '--families',
    '1',
    '--history',
    join(directory, 'history'),
  );
  expect(output).toContain('0 lost, 0 doubled, 0 reordered, 0 other violations');
  rmSync(directory, { recursive: true });
});
