/*
 * `npm run dev`: standalone from its sources, restarted after each change of a file. `npm run dev -- --split`: each app
 * in its own process, from the build.
 */
import { spawn } from 'node:child_process';
import { build } from './build.mjs';

const args = process.argv.slice(2).join(' ');
if (args !== '' && args !== '--split') {
  process.stderr.write('npm run dev [-- --split]\n');
  process.exit(2);
}
const isSplit = args === '--split';
const parent = process.ppid;
await build([isSplit ? 'standalone' : 'console']);
// npm has ended meanwhile.
if (process.ppid !== parent) process.exit(1);
if (isSplit) {
  await import('./load-env-file.mjs');
  process.setSourceMapsEnabled(true);
  await import('../apps/standalone/dist/split/main.js');
} else {
  const child = spawn('npm run dev --workspace=@family-watch/standalone', { shell: true, stdio: 'inherit' });
  // On Ctrl-C, the terminal signals both processes.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('close', (code) => (process.exitCode = code ?? 1));
}
