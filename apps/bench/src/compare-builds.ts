import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { UsageError } from './options.js';
import { compareRuns, type RunPair } from './report/comparison.js';
import type { ResultLine } from './report/result.js';
import { runMain } from './run-main.js';

const USAGE = `Runs benches of this build and of another build alternately, and prints the ratio of each value.

  npm run bench:compare -- <directory of the other build> <pairs> <benches and options of npm run bench>
  npm run bench:compare -- ../family-watch-before 3 b4 b9

The other build is a clone that has been installed (npm ci) and built (npm run build).
`;

const PRESENT_BUILD = fileURLToPath(new URL('../../..', import.meta.url));

/** Entry point of `npm run bench:compare`. Exit codes: 0 compared; 1 an error; 2 invalid options. */
async function main(): Promise<number> {
  const [otherBuild, pairCount, ...benchOptions] = process.argv.slice(2);
  if (otherBuild === undefined || !(Number(pairCount) >= 1) || benchOptions.length === 0) throw new UsageError(USAGE);
  const pairs: RunPair[] = [];
  for (let pair = 0; pair < Number(pairCount); pair++) {
    // The order changes with each pair, because the second run finds a warmer machine and a fuller disk.
    const builds = pair % 2 === 0 ? [PRESENT_BUILD, otherBuild] : [otherBuild, PRESENT_BUILD];
    const results = new Map<string, ResultLine[]>();
    for (const build of builds) results.set(build, await runBenches(build, benchOptions));
    pairs.push({ present: results.get(PRESENT_BUILD) ?? [], other: results.get(otherBuild) ?? [] });
    process.stderr.write(`pair ${pair + 1} of ${pairCount} done\n`);
  }
  for (const { bench, what, present, other, ratio, range } of compareRuns(pairs)) {
    const [low, high] = range.map((value) => value.toFixed(2));
    process.stdout.write(`${bench}  ${what}: ${present} / ${other} = ${ratio.toFixed(3)} (${low} to ${high})\n`);
  }
  return 0;
}

/** Runs benches of a build. A missed goal is no error. @returns the lines of the result table */
async function runBenches(build: string, options: readonly string[]): Promise<ResultLine[]> {
  const program = spawn(process.execPath, ['--enable-source-maps', 'apps/bench/dist/main.js', ...options], {
    cwd: build,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  const report = output.split('\n').find((line) => line.startsWith('{'));
  if (report === undefined) throw new Error(`The benches of ${build} ended without a report`);
  return (JSON.parse(report) as { results: { lines: ResultLine[] }[] }).results.flatMap(({ lines }) => lines);
}

await runMain(main);
