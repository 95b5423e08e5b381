import { runDemo, readJourney } from './day/demo.js';
import { failAllScenes } from './day/scene.js';
import type { SceneResult } from './day/scene.js';
import { SCENES } from './day/scenes.js';
import { Narrator } from './narrator.js';
import { readOptions, USAGE, UsageError } from './options.js';
import type { DemoOptions } from './options.js';
import type { Credentials } from './people/person.js';
import { isServerReachable, startServer } from './server/server-process.js';
import type { Server } from './server/server-process.js';
import { GpxError } from './track/gpx.js';
import type { JourneyPoint } from './track/journey.js';

const USUAL_URL = 'http://127.0.0.1:8080';
/** As shells say it. */
const INTERRUPTED = 130;

/** What `npm run demo` runs. Exit code 0: everything was proved; 1: something is missing; 2: wrong options. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const narrator = new Narrator(options.json ? process.stderr : process.stdout);
  const journey = await readJourney(options.track);
  const server = await findServer(options, narrator);
  stopWhenTold(server);
  try {
    return await play(server, journey, options, narrator);
  } finally {
    await server.stop();
  }
}

async function play(
  server: Server,
  journey: readonly JourneyPoint[],
  { speed, json }: DemoOptions,
  narrator: Narrator,
): Promise<number> {
  try {
    const result = await runDemo(server, journey, speed, narrator);
    const proved = tellProofs(result.proofs, narrator);
    if (!server.isOurs) tellCredentials(result.credentials, narrator);
    if (json) printJson({ ok: proved, url: server.url, ...result });
    return proved ? 0 : 1;
  } catch (error) {
    tellProofs(failAllScenes(SCENES), narrator);
    if (json) printJson({ ok: false, url: server.url, proofs: failAllScenes(SCENES) });
    throw error;
  }
}

async function findServer({ url, smsFile }: DemoOptions, narrator: Narrator): Promise<Server> {
  const known = url ?? USUAL_URL;
  if (await isServerReachable(known)) {
    narrator.say('demo', `plays against the server at ${known}`);
    return { url: known, smsFile, isOurs: false, stop: () => Promise.resolve() };
  }
  if (url !== undefined) throw new UsageError(`No Family Watch server answers at ${url}`);
  narrator.say('demo', `found no server at ${USUAL_URL} and starts one of its own`);
  const server = await startServer();
  narrator.say('demo', `plays against ${server.url}`);
  return server;
}

/** Ctrl-C ends the demo's own server and deletes its folder, too. */
function stopWhenTold(server: Server): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(INTERRUPTED)));
  }
}

/** @returns true if everything was proved */
function tellProofs(proofs: readonly SceneResult[], narrator: Narrator): boolean {
  const proved = proofs.every(({ ok }) => ok);
  narrator.print('');
  for (const { ok, name, detail } of proofs) narrator.print(`${ok ? '✓' : '✗'} ${name}: ${detail}`);
  narrator.print(proved ? '\nNothing was lost.' : '\nSomething is missing.');
  return proved;
}

function tellCredentials({ areaCode, phoneNumber, password }: Credentials, narrator: Narrator): void {
  narrator.print(`The family stays on the server; sign in with ${areaCode} ${phoneNumber} and ${password}`);
}

function printJson(summary: object): void {
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof UsageError || error instanceof GpxError ? error.message : (error.stack ?? error.message);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`✗ ${describe(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
