import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';
import { PLANTED_FAULTS } from './planted-faults.mjs';

/*
 * Checks that the tests detect faults: plants each fault of planted-faults.mjs alone in a copy of this repository and
 * expects its suites to fail. Usage: npm run test:faults -- [--list] [--only <text in name, area or file>]
 */
const ROOT = resolve(import.meta.dirname, '../../..');
/** Not linked into the copy: it has its own workspace packages, and the cache belongs to the original. */
const NOT_SHARED = ['@family-watch', '.cache'];
/** Timeout of one run of suites. */
const RUN_TIMEOUT_MS = 10 * 60_000;
/** Limit of a test's wait while a fault is planted, because most of these waits never succeed. */
const MAX_WAIT_MS = 20_000;
/** Delay between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 5_000;
/** Number of output characters that are shown if a run has written no results. */
const MAX_OUTPUT_LENGTH = 4_000;

const { values: options } = parseArgs({
  options: { list: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
/** Stops the running program; a no-op while none runs. */
let stopRunning = () => undefined;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    interrupted = true;
    stopRunning();
  });
}

process.exitCode = await main();

/** @returns the exit code */
async function main() {
  const faults = PLANTED_FAULTS.filter(({ name, area, file }) => [name, area, file].some(isSelected));
  if (options.list) {
    for (const { area, name, suites } of faults) console.log(`${area}  ${name}  ${suites.join(' ')}`);
    return 0;
  }
  const misplaced = await findMisplaced(faults);
  for (const { fault, count } of misplaced)
    console.error(`${fault.file}: expected once but found ${count} times: ${fault.originalText}`);
  if (faults.length === 0) console.error('No fault matches --only');
  if (misplaced.length > 0 || faults.length === 0) return 1;
  const folder = await mkdtemp(join(tmpdir(), 'planted-faults-'));
  try {
    return await plantAll(faults, folder);
  } catch (error) {
    if (!interrupted) throw error;
    console.error('Interrupted');
    return 130;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isSelected(text) {
  return text.toLowerCase().includes(options.only.toLowerCase());
}

/** Returns the faults whose text is not found or is found more than once. */
async function findMisplaced(faults) {
  const counted = faults.map(async (fault) => {
    const text = await readFile(join(ROOT, fault.file), 'utf8').catch(() => '');
    return { fault, count: text.split(fault.originalText).length - 1 };
  });
  return (await Promise.all(counted)).filter(({ count }) => count !== 1);
}

async function plantAll(faults, folder) {
  // As root, the test database runs as another user and must be able to enter.
  await chmod(folder, 0o755);
  const copy = join(folder, 'repository');
  await copyRepository(copy);
  const suites = [...new Set(faults.flatMap((fault) => fault.suites))];
  const healthy = await runSuites(copy, suites);
  if (!healthy.results?.success || healthy.results.testResults.length !== suites.length) {
    console.error(`The suites fail without a fault:\n${messagesOf(healthy.results) || healthy.output}`);
    return 1;
  }
  console.log(`without a fault ${healthy.results.numPassedTests} tests passed (${healthy.seconds} s)`);
  let caught = 0;
  for (const fault of faults) if (await isCaught(fault, copy)) caught += 1;
  console.log(`${caught} caught, ${faults.length - caught} not caught`);
  return caught === faults.length ? 0 : 1;
}

/** Copies tracked and untracked files, and links the npm packages of the original. */
async function copyRepository(copy) {
  const { output } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], ROOT);
  const files = output.split('\0').filter(Boolean);
  for (const folder of new Set(files.map(dirname))) await mkdir(join(copy, folder), { recursive: true });
  for (const file of files) {
    await copyFile(join(ROOT, file), join(copy, file)).catch((error) => {
      // Deleted in the working tree but still in git's index.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  for (const folder of ['.', ...new Set(files.filter(isWorkspaceManifest).map(dirname))]) {
    await linkPackages(join(ROOT, folder, 'node_modules'), join(copy, folder, 'node_modules'));
  }
}

function isWorkspaceManifest(file) {
  return /^(apps|packages)\/[^/]+\/package\.json$/.test(file);
}

async function linkPackages(from, to) {
  const entries = await readdir(from).catch(() => []);
  if (entries.length === 0) return;
  await mkdir(to);
  for (const entry of entries) {
    if (!NOT_SHARED.includes(entry)) await symlink(join(from, entry), join(to, entry));
  }
  if (!entries.includes('@family-watch')) return;
  await mkdir(join(to, '@family-watch'));
  for (const workspace of await readdir(join(from, '@family-watch'))) {
    // The links are relative, so in the copy they point into the copy.
    const target = await readlink(join(from, '@family-watch', workspace));
    await symlink(target, join(to, '@family-watch', workspace));
  }
}

/** Plants the fault, runs its suites, prints the result and restores the file. Returns whether a test failed. */
async function isCaught({ name, area, file, originalText, faultyText, suites }, copy) {
  const path = join(copy, file);
  const healthy = await readFile(path, 'utf8');
  // A function, because a replacement string could contain `$` patterns.
  await writeFile(
    path,
    healthy.replace(originalText, () => faultyText),
  );
  const { results, output, seconds } = await runSuites(copy, suites, { WAIT_LIMIT_MS: String(MAX_WAIT_MS) });
  await writeFile(path, healthy);
  const failed = results?.numFailedTests ?? 0;
  const tests = (results?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  const first = tests.find(({ status }) => status === 'failed')?.fullName;
  const found = failed > 0 ? `${failed} of ${tests.length} tests failed, first: ${first}` : 'no test failed';
  console.log(`${failed > 0 ? 'caught' : 'NOT CAUGHT'}  ${area}  ${name}  (${seconds} s, ${found})`);
  // A suite that could not run has not detected the fault.
  if (failed === 0 && !results?.success) console.error(messagesOf(results) || output);
  return failed > 0;
}

/** Returns jest's messages of suites that failed or could not run. */
function messagesOf(results) {
  return (results?.testResults ?? []).map(({ message }) => message).join('');
}

/** Runs suites. `results` are jest's results, or `undefined` if it has written none. */
async function runSuites(copy, suites, variables = {}) {
  const outputFile = join(dirname(copy), 'results.json');
  await rm(outputFile, { force: true });
  const startedAt = performance.now();
  const args = ['test', '--', '--json', `--outputFile=${outputFile}`, ...suites];
  const { output } = await run('npm', args, copy, variables);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const text = await readFile(outputFile, 'utf8').catch(() => undefined);
  return { results: text && JSON.parse(text), output: output.slice(-MAX_OUTPUT_LENGTH), seconds };
}

/**
 * Runs a program until it exits, with any exit code. It is stopped after {@link RUN_TIMEOUT_MS}.
 *
 * @throws Error if this program was interrupted
 */
async function run(command, args, cwd, variables = {}) {
  // In a separate process group, so that its children can be stopped with it.
  const env = { ...process.env, ...variables };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => chunks.push(text));
  const timers = [setTimeout(stop, RUN_TIMEOUT_MS)];
  stopRunning = stop;
  if (interrupted) stop();
  try {
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  } finally {
    timers.forEach(clearTimeout);
    stopRunning = () => undefined;
  }
  if (interrupted) throw new Error('Interrupted');
  return { output: chunks.join('') };

  function stop() {
    signalGroup(child, 'SIGTERM');
    timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS));
  }
}

function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has exited meanwhile.
    if (error.code !== 'ESRCH') throw error;
  }
}
