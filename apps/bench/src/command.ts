import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Programs besides the benches, by their name on the command line. */
const PROGRAMS: Readonly<Record<string, string>> = {
  compare: './compare-builds.js',
  fuzz: './fuzz/main.js',
  chaos: './chaos/main.js',
};

/** Programs that use the console in a browser; they are run from their sources. */
const CONSOLE_PROGRAMS: Readonly<Record<string, string>> = {
  'measure-console': 'apps/console/test/measure/measure-console.ts',
  screenshots: 'apps/console/test/screenshots/take-screenshots.ts',
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Entry point of `npm run bench`: the benches, or the program that the first argument names. */
const [name = '', ...args] = process.argv.slice(2);
const program = PROGRAMS[name];
const consoleProgram = CONSOLE_PROGRAMS[name];
if (consoleProgram !== undefined) {
  const loader = ['--import', './packages/testing/jest/load-typescript.mjs'];
  const child = spawn(process.execPath, [...loader, consoleProgram, ...args], { cwd: ROOT, stdio: 'inherit' });
  // On Ctrl-C, the terminal signals both processes.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  process.exitCode = exitCode ?? 1;
} else {
  if (program !== undefined) process.argv.splice(2, 1);
  await import(program ?? './main.js');
}
