import { parseArgs } from 'node:util';
import { type DeadLetter, DeadLetterStore } from '@family-watch/event-bus/dead-letters';
import { queryEventBusStatus } from '@family-watch/event-bus/event-bus-status';
import { OutboxRepository } from '@family-watch/event-bus/outbox.repository';
import type { Environment } from '../config/environment.js';
import { loadEnvironment } from '../config/load-environment.js';
import { openAppDatabase } from '../database/app-database.js';
import type { DatabaseDeclaration } from '../database/app-database.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EXIT_CODE, runCommandLine, useDatabaseUrl, UsageError } from './command-line.js';
import type { OpenDatabaseServer } from './command-line.js';

const DEFAULT_LIMIT = 20;
/** Number of dead letters that `--all` reads at a time. */
const PAGE_SIZE = 500;

const USAGE = `Shows and repairs what the event bus could not process. The service may be running.

  npm run operator -- dead-letters list [--app APP] [--handler NAME] [--limit N] [--json]
  npm run operator -- dead-letters replay --app APP (ID... | --all [--handler NAME])
  npm run operator -- dead-letters drop --app APP ID...
  npm run operator -- outbox status [--app APP] [--json]
  npm run operator -- outbox republish --app APP --since TIME

  dead-letters list    lists events that a handler failed to process in all attempts, and bytes that are no event (raw)
  dead-letters replay  moves events back to the retry queue of their handler; raw dead letters cannot be replayed
  dead-letters drop    deletes dead letters; for bytes that are no event and for events that no longer matter
  outbox status        shows unpublished events, their delay, the retry queue and the number of dead letters
  outbox republish     publishes all events appended since TIME (ISO 8601) again; handlers ignore those they processed

  APP is userctx, mcdisk or gateway. DATABASE_URL selects the database server; without it, standalone uses the embedded one.

Exit code: 0 when the command was carried out, 1 when a dead letter does not exist or is raw, 2 when nothing was done.
`;

/** The arguments or the environment do not allow the command; nothing was done. */
interface Command {
  subject: string;
  action: string;
  ids: string[];
  app?: string;
  handler?: string;
  limit: number;
  since?: number;
  all: boolean;
  json: boolean;
}

/** An app whose database is open. */
interface OpenApp {
  name: string;
  scope: UnitOfWork;
}

/** Commands that run in the services of one app, in addition to those for dead letters and outboxes. */
export interface AppCommands {
  /** Explains the commands, for --help. */
  usage: string;
  /** First arguments of the commands. */
  subjects: readonly string[];
  /**
   * Runs a command.
   * @param url - connection URL of the database server
   * @returns the exit code
   * @throws UsageError, ServiceError if nothing was done
   */
  run(args: readonly string[], environment: Environment, url: string): Promise<number>;
}

/**
 * Runs the operator's command line, and sets the exit code of the process.
 *
 * @param declarations - the databases of the apps to which the commands apply
 * @param openServer - opens the database server; by default that of DATABASE_URL, which must be set
 * @param appCommands - further commands
 */
export async function runOperatorCommand(
  declarations: readonly DatabaseDeclaration[],
  openServer: OpenDatabaseServer = useDatabaseUrl,
  appCommands: readonly AppCommands[] = [],
): Promise<void> {
  const args = process.argv.slice(2);
  await runCommandLine(async () => {
    const owner = appCommands.find(({ subjects }) => subjects.includes(args[0] ?? ''));
    if (owner) return executeAppCommand(args, owner, openServer);
    const command = parseCommand(args);
    if (command) return execute(command, declarations, openServer);
    process.stdout.write([USAGE, ...appCommands.map(({ usage }) => usage)].join('\n'));
    return EXIT_CODE.DONE;
  });
}

/**
 * Parses the command line. Returns undefined for --help.
 *
 * @throws UsageError
 */
function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [subject = '', action = '', ...ids] = positionals;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new UsageError('--limit must be a number from 1 to 10000');
  if (!ids.every((id) => /^\d{1,18}$/.test(id))) throw new UsageError('ID must be the number of a dead letter');
  const since = values.since === undefined ? undefined : Date.parse(values.since);
  if (Number.isNaN(since)) throw new UsageError('--since must be a time in ISO 8601, such as 2026-11-22T08:00:00Z');
  const { app, handler, all, json } = values;
  return { subject, action, ids, app, handler, limit, since, all, json };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const options = { help: flag, json: flag, all: flag, app: text, handler: text, limit: text, since: text } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function executeAppCommand(
  args: readonly string[],
  appCommands: AppCommands,
  openServer: OpenDatabaseServer,
): Promise<number> {
  const environment = loadEnvironment();
  const server = await openServer(environment);
  try {
    return await appCommands.run(args, environment, server.url);
  } finally {
    await server.stop();
  }
}

async function execute(
  command: Command,
  declarations: readonly DatabaseDeclaration[],
  openServer: OpenDatabaseServer,
): Promise<number> {
  const run = COMMANDS[`${command.subject} ${command.action}`];
  if (!run) throw new UsageError(`Unknown command.\n\n${USAGE}`);
  const selected = declarations.filter(({ name }) => command.app === undefined || command.app === name);
  if (selected.length === 0)
    throw new UsageError(`--app must be one of ${declarations.map(({ name }) => name).join(', ')}`);
  const server = await openServer(loadEnvironment());
  const databases = [];
  try {
    const apps: OpenApp[] = [];
    for (const declaration of selected) {
      const database = await openAppDatabase({ ...declaration, url: server.url, limits: { poolSize: 2 } });
      databases.push(database);
      await database.assertSchemaSupported();
      apps.push({ name: declaration.name, scope: new UnitOfWork(database.dataSource, database.schema) });
    }
    return await run(command, apps);
  } finally {
    for (const database of databases) await database.close();
    await server.stop();
  }
}

const COMMANDS: Readonly<Record<string, (command: Command, apps: readonly OpenApp[]) => Promise<number>>> = {
  'dead-letters list': listDeadLetters,
  'dead-letters replay': replayDeadLetters,
  'dead-letters drop': dropDeadLetters,
  'outbox status': showStatus,
  'outbox republish': republish,
};

async function listDeadLetters({ handler, limit, json }: Command, apps: readonly OpenApp[]): Promise<number> {
  for (const { name, scope } of apps) {
    for (const deadLetter of await new DeadLetterStore(scope).list({ handler, limit })) {
      const { event, raw, ...rest } = deadLetter;
      // The payload of an event may contain locations, so it is shown only with --json.
      const fields = {
        app: name,
        ...rest,
        ...(event ? { event } : { raw: Buffer.from(raw ?? []).toString('base64') }),
      };
      print(json ? JSON.stringify(fields) : describeDeadLetter(name, deadLetter));
    }
  }
  return EXIT_CODE.DONE;
}

function describeDeadLetter(
  app: string,
  { id, handler, event, raw, attempts, deadLetteredAt, lastError }: DeadLetter,
): string {
  const what = event ? `${event.name} ${event.id} key ${event.key}` : `raw ${raw?.byteLength ?? 0} bytes`;
  const when = new Date(deadLetteredAt).toISOString();
  return `${app} ${id}  ${when}  ${handler}  ${what}  attempts ${attempts}  ${firstLine(lastError)}`;
}

function firstLine(text: string | null): string {
  return (text ?? '').split('\n')[0]?.slice(0, 200) ?? '';
}

async function replayDeadLetters(command: Command, apps: readonly OpenApp[]): Promise<number> {
  const { scope } = requireApp(command, apps);
  const deadLetters = new DeadLetterStore(scope);
  const ids = command.all ? await findReplayableIds(deadLetters, command.handler) : requireIds(command);
  return forEachId(ids, (id) => deadLetters.replay(id), {
    changed: 'moved to the retry queue',
    unchanged: 'does not exist or is raw',
  });
}

async function dropDeadLetters(command: Command, apps: readonly OpenApp[]): Promise<number> {
  const { scope } = requireApp(command, apps);
  const deadLetters = new DeadLetterStore(scope);
  return forEachId(requireIds(command), (id) => deadLetters.drop(id), {
    changed: 'dropped',
    unchanged: 'does not exist',
  });
}

/** Returns the ids of all dead letters that are events, oldest first. */
async function findReplayableIds(deadLetters: DeadLetterStore, handler?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await deadLetters.list({ handler, after, limit: PAGE_SIZE });
    ids.push(...page.flatMap(({ id, event }) => (event ? [id] : [])));
    after = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return ids;
  }
}

/**
 * Applies `change` to each id, and prints `changed` or `unchanged` as `change` returned true or false.
 *
 * @returns the exit code
 */
async function forEachId(
  ids: readonly string[],
  change: (id: string) => Promise<boolean>,
  texts: { changed: string; unchanged: string },
): Promise<number> {
  let failures = 0;
  for (const id of ids) {
    const isChanged = await change(id);
    if (!isChanged) failures += 1;
    print(`${id} ${isChanged ? texts.changed : texts.unchanged}`);
  }
  return failures > 0 ? EXIT_CODE.NOT_FOUND : EXIT_CODE.DONE;
}

async function showStatus({ json }: Command, apps: readonly OpenApp[]): Promise<number> {
  for (const { name, scope } of apps) {
    const status = await queryEventBusStatus(name, scope);
    const { unpublished, publicationDelayMs, retries, deadLetters } = status;
    const delay = `oldest waits ${(publicationDelayMs / 1_000).toFixed(1)} s`;
    print(
      json
        ? JSON.stringify(status)
        : `${name}  unpublished ${unpublished} (${delay})  retry queue ${retries}  dead letters ${deadLetters}`,
    );
  }
  return EXIT_CODE.DONE;
}

async function republish(command: Command, apps: readonly OpenApp[]): Promise<number> {
  const { name, scope } = requireApp(command, apps);
  if (command.since === undefined) throw new UsageError('--since is required');
  const eventCount = await new OutboxRepository(scope).requeueSince(command.since);
  print(`${name} publishes ${eventCount} events again`);
  return EXIT_CODE.DONE;
}

/** Returns the app that the command names. @throws UsageError if the command names no app */
function requireApp({ app }: Command, apps: readonly OpenApp[]): OpenApp {
  const [only] = apps;
  if (app === undefined || !only) throw new UsageError('--app is required');
  return only;
}

function requireIds({ ids }: Command): string[] {
  if (ids.length === 0) throw new UsageError('At least one ID is required');
  return ids;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
