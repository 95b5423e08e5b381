/*
 * Runs the checks that need no tests, at once: `npm run check` all of them, `npm run check -- lint` those that are named.
 * Prints the output of those that fail.
 */
import { exec } from 'node:child_process';

const CHECKS = {
  format: 'oxfmt --check',
  lint: 'oxlint',
  dependencies: 'npm run --silent check:dependencies',
  unused: 'knip',
  licences: 'node .ci/check-licences.mjs',
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CHECKS);
const unknown = names.filter((name) => CHECKS[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`npm run check [-- ${Object.keys(CHECKS).join(' | ')} …]\n`);
  process.exit(2);
}
await Promise.all(
  names.map(async (name) => {
    const { promise, resolve } = Promise.withResolvers();
    exec(CHECKS[name], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => resolve({ error, output: stdout + stderr }));
    const { error, output } = await promise;
    process.stdout.write(error ? `${output}\n${name}: failed\n` : `${name}: passed\n`);
    if (error) process.exitCode = 1;
  }),
);
