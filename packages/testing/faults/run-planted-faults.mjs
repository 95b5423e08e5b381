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
/**
 * Entries of node_modules that are not linked into the copy: the copy has its own workspace packages, and the cache
 * belongs to the original.
 */
const UNSHARED_ENTRIES = ['@family-watch', '.cache'];
/** Milliseconds after which a run of suites is stopped. */
const RUN_TIMEOUT_MS = 10 * 60_000;
/** Limit of each wait in a test while a fault is planted, milliseconds; most of these waits never succeed. */
const MAX_WAIT_MS = 20_000;
/** Milliseconds between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 5_000;
/** Number of output characters that are shown if a run has written no results. */
const MAX_OUTPUT_LENGTH = 4_000;

const { values: options } = parseArgs({
  options: { list: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
/** Stops the running program; does nothing if no program runs. */
let stopProgram = () => undefined;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    isInterrupted = true;
    stopProgram();
  });
}

process.exitCode = await main();

/** Runs the command line. @returns the exit code */
async function main() {
  const faults = PLANTED_FAULTS.filter(({ name, area, file }) => [name, area, file].some(isSelected));
  if (options.list) {
    for (const { area, name, suites } of faults) console.log(`${area}  ${name}  ${suites.join(' ')}`);
    return 0;
  }
  const ambiguousFaults = await findAmbiguous(faults);
  for (const { fault, count } of ambiguousFaults)
    console.error(`${fault.file}: expected once but found ${count} times: ${fault.originalText}`);
  if (faults.length === 0) console.error('No fault matches --only');
  if (ambiguousFaults.length > 0 || faults.length === 0) return 1;
  const folder = await mkdtemp(join(tmpdir(), 'planted-faults-'));
  try {
    return await plantAll(faults, folder);
  } catch (error) {
    if (!isInterrupted) throw error;
    console.error('Interrupted');
    return 130;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isSelected(text) {
  return text.toLowerCase().includes(options.only.toLowerCase());
}

/** Returns the faults whose original text does not occur exactly once in its file. */
async function findAmbiguous(faults) {
  const counted = faults.map(async (fault) => {
    const text = await readFile(join(ROOT, fault.file), 'utf8').catch(() => '');
    return { fault, count: text.split(fault.originalText).length - 1 };
  });
  return (await Promise.all(counted)).filter(({ count }) => count !== 1);
}

/** Runs all suites without a fault and then the suites of each fault. @returns the exit code */
async function plantAll(faults, folder) {
  // As root, the test database runs as another user, who must have access to the directory.
  await chmod(folder, 0o755);
  const copy = join(folder, 'repository');
  await copyRepository(copy);
  const suites = [...new Set(faults.flatMap((fault) => fault.suites))];
  const faultless = await runSuites(copy, suites);
  if (!faultless.results?.success || faultless.results.testResults.length !== suites.length) {
    console.error(`The suites fail without a fault:\n${messagesOf(faultless.results) || faultless.output}`);
    return 1;
  }
  console.log(`without a fault ${faultless.results.numPassedTests} tests passed (${faultless.seconds} s)`);
  let detected = 0;
  for (const fault of faults) if (await isDetected(fault, copy)) detected += 1;
  console.log(`${detected} detected, ${faults.length - detected} not detected`);
  return detected === faults.length ? 0 : 1;
}

/** Copies tracked and untracked files, and links the npm packages of the original. */
async function copyRepository(copy) {
  const { output } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], ROOT);
  const files = output.split('\0').filter(Boolean);
  for (const folder of new Set(files.map(dirname))) await mkdir(join(copy, folder), { recursive: true });
  for (const file of files) {
    await copyFile(join(ROOT, file), join(copy, file)).catch((error) => {
      // A file that was deleted in the working tree is still in git's index.
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
    if (!UNSHARED_ENTRIES.includes(entry)) await symlink(join(from, entry), join(to, entry));
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
async function isDetected({ name, area, file, originalText, faultyText, suites }, copy) {
  const path = join(copy, file);
  const originalSource = await readFile(path, 'utf8');
  // The replacement is a function, because a string could contain replacement patterns such as `$&`.
  await writeFile(
    path,
    originalSource.replace(originalText, () => faultyText),
  );
  const { results, output, seconds } = await runSuites(copy, suites, { WAIT_LIMIT_MS: String(MAX_WAIT_MS) });
  await writeFile(path, originalSource);
  const failed = results?.numFailedTests ?? 0;
  const tests = (results?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  const first = tests.find(({ status }) => status === 'failed')?.fullName;
  const testResult = failed > 0 ? `${failed} of ${tests.length} tests failed, first: ${first}` : 'no test failed';
  console.log(`${failed > 0 ? 'detected' : 'NOT DETECTED'}  ${area}  ${name}  (${seconds} s, ${testResult})`);
  // A suite that could not run has not detected the fault.
  if (failed === 0 && !results?.success) console.error(messagesOf(results) || output);
  return failed > 0;
}

/** Returns jest's messages of suites that failed or could not run. */
function messagesOf(results) {
  return (results?.testResults ?? []).map(({ message }) => message).join('');
}

/** Runs suites in the copy. The returned `results` are jest's results, or `undefined` if jest has written none. */
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
 * Runs a program until it exits, with any exit code. The program is stopped after {@link RUN_TIMEOUT_MS}.
 *
 * @throws Error if this program was interrupted
 */
async function run(command, args, cwd, variables = {}) {
  // The program runs in a separate process group, so that its child processes can be stopped with it.
  const env = { ...process.env, ...variables };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => chunks.push(text));
  const timers = [setTimeout(stop, RUN_TIMEOUT_MS)];
  stopProgram = stop;
  if (isInterrupted) stop();
  try {
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  } finally {
    timers.forEach(clearTimeout);
    stopProgram = () => undefined;
  }
  if (isInterrupted) throw new Error('Interrupted');
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
    // ESRCH: the process has exited.
    if (error.code !== 'ESRCH') throw error;
  }
}
