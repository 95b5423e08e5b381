/*
 * Builds the given apps and packages with those that they need: `node .ci/build.mjs standalone simulator`. Prints turbo's
 * output only if a build fails, and says what takes so long if a build is not cached. With `--if-missing`, apps that have
 * been built are not built again, so that a command starts at once.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';

const ROOT = resolve(import.meta.dirname, '..');
const NOTICE_DELAY_MS = 2_000;

/** Exits with the exit code of the build if it fails. */
export async function build(names) {
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');
  const filters = names.map((name) => `--filter=@family-watch/${name}...`);
  const child = spawn(process.execPath, [turbo, 'run', 'build', ...filters, '--output-logs=errors-only'], {
    cwd: ROOT,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const notice = setTimeout(() => process.stderr.write('Building …\n'), NOTICE_DELAY_MS);
  const { promise, resolve: end, reject } = Promise.withResolvers();
  child.on('error', reject);
  child.on('close', (code) => end(code ?? 1));
  const code = await promise;
  clearTimeout(notice);
  if (code === 0) return;
  process.stderr.write(output);
  process.exit(code);
}

if (import.meta.main) {
  const names = process.argv.slice(2).filter((name) => name !== '--if-missing');
  const isBuilt = (name) => existsSync(resolve(ROOT, 'apps', name, 'dist'));
  if (!process.argv.includes('--if-missing') || !names.every(isBuilt)) await build(names);
}
