import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runDemo, readJourney, SCENES } from './day/demo.js';
import { failAllScenes, type SceneResult } from './day/scene.js';
import { Narrator } from './narrator.js';
import { readOptions, USAGE, UsageError, type DemoOptions } from './options.js';
import type { Credentials } from './people/person.js';
import { isServerReachable, startServer, type Server } from './server/server-process.js';
import { GpxError } from './track/gpx.js';
import type { JourneyPoint } from './track/journey.js';
import { createDemoMap } from './week/map/demo-map.js';
import { createKeptFamily } from './week/week.js';

/** Exit code of a program that was interrupted by a signal. */
const INTERRUPTED_EXIT_CODE = 130;

/**
 * Entry point of `npm run demo`.
 *
 * @returns the exit code: 0 if all expectations were met, otherwise 1
 * @throws UsageError for invalid options
 */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const narrator = new Narrator(options.json ? process.stderr : process.stdout);
  const journey = await readJourney(options.track);
  const server = await findServer(options, narrator);
  // With --keep, Ctrl-C is the usual end.
  stopOnSignal(server, options.keep ? 0 : INTERRUPTED_EXIT_CODE);
  try {
    if (options.keep) return await keepFamily(server, options, narrator);
    return await runAndPrintDemo(server, journey, options, narrator);
  } finally {
    await server.stop();
  }
}

async function runAndPrintDemo(
  server: Server,
  journey: readonly JourneyPoint[],
  { speed, json }: DemoOptions,
  narrator: Narrator,
): Promise<number> {
  try {
    const result = await runDemo(server, journey, speed, narrator);
    const allMet = printResults(result.proofs, narrator);
    if (!server.isStartedByDemo) printCredentials(result.credentials, narrator);
    if (json) printJson({ ok: allMet, url: server.url, ...result });
    return allMet ? 0 : 1;
  } catch (error) {
    printResults(failAllScenes(SCENES), narrator);
    if (json) printJson({ ok: false, url: server.url, proofs: failAllScenes(SCENES) });
    throw error;
  }
}

async function keepFamily(server: Server, { json }: DemoOptions, narrator: Narrator): Promise<never> {
  // The service draws the map from its data directory, where the file of SMS is too.
  await writeFile(join(dirname(server.smsFile), 'demo-map.pmtiles'), createDemoMap());
  const { credentials, live } = await createKeptFamily(server, narrator);
  const { areaCode, phoneNumber, password } = credentials;
  const fate = server.isStartedByDemo
    ? 'The server is temporary: it ends with this program, and its data are deleted. Run npm start first to keep them.'
    : 'The family remains on the server. Another run creates another family.';
  narrator.print(`
A family with a week of life is on ${server.url}

  phone number  ${areaCode} ${phoneNumber}
  password      ${password}

The watches of Mia and Leo live on: they report where the children are, reply to messages and ring, until Ctrl-C.
${fate}
`);
  if (json) printJson({ ok: true, url: server.url, credentials });
  return live();
}

async function findServer({ url, localUrl, smsFile }: DemoOptions, narrator: Narrator): Promise<Server> {
  const candidate = url ?? localUrl;
  if (await isServerReachable(candidate)) {
    narrator.narrate('demo', `uses the server at ${candidate}`);
    return { url: candidate, smsFile, isStartedByDemo: false, stop: () => Promise.resolve() };
  }
  if (url !== undefined) throw new UsageError(`No Family Watch server responds at ${url}`);
  narrator.narrate('demo', `found no server at ${localUrl} and starts a temporary one`);
  const server = await startServer();
  narrator.narrate('demo', `uses the server at ${server.url}`);
  return server;
}

/**
 * Stops the temporary server and deletes its directory when a signal interrupts the demo. Ignores further signals,
 * because npm forwards a signal that the terminal has sent to all processes.
 */
function stopOnSignal(server: Server, exitCode: number): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    void server.stop().finally(() => process.exit(exitCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
}

/** Prints one line per scene. @returns true if all expectations were met */
function printResults(results: readonly SceneResult[], narrator: Narrator): boolean {
  const allMet = results.every(({ ok }) => ok);
  narrator.print('');
  for (const { ok, name, detail } of results) narrator.print(`${ok ? '✓' : '✗'} ${name}: ${detail}`);
  narrator.print(allMet ? '\nAll expectations were met.' : '\nAt least one expectation was not met.');
  return allMet;
}

function printCredentials({ areaCode, phoneNumber, password }: Credentials, narrator: Narrator): void {
  narrator.print(`The family remains on the server. Sign in with ${areaCode} ${phoneNumber} and ${password}`);
}

function printJson(summary: object): void {
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof UsageError || error instanceof GpxError ? error.message : (error.stack ?? error.message);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`✗ ${describeError(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
