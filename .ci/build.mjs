/*
 * Builds the given apps and their packages: `node .ci/build.mjs standalone simulator`. Prints turbo's output only if a
 * build fails, and says what takes so long if a build is not cached.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { clearTimeout, setTimeout } from 'node:timers';

const NOTICE_DELAY_MS = 2_000;

const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');
const filters = process.argv.slice(2).map((app) => `--filter=@family-watch/${app}...`);
const child = spawn(process.execPath, [turbo, 'run', 'build', ...filters, '--output-logs=errors-only'], {
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
let output = '';
for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
const notice = setTimeout(() => process.stderr.write('Building …\n'), NOTICE_DELAY_MS);
child.on('error', (error) => {
  throw error;
});
child.on('close', (code) => {
  clearTimeout(notice);
  if (code !== 0) process.stderr.write(output);
  process.exitCode = code ?? 1;
});
