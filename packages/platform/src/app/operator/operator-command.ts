import { parseArgs } from 'node:util';
import type { AppAdministration, DeliveryDiagnosisSource } from '@family-watch/domain/operators/app-administration';
import { MAX_DEAD_LETTERS } from '@family-watch/domain/operators/contracts/app-administration';
import type { AppStatusDto, DeadLetterDto } from '@family-watch/domain/operators/dto/event-bus.dto';
import type { Environment } from '../../config/environment.js';
import { loadEnvironment } from '../../config/load-environment.js';
import { openAppDatabase, type DatabaseDeclaration } from '../../database/app-database.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { remoteAppsOf } from '../../http/internal-operations.js';
import { LocalAppAdministration } from './app-administration.js';
import {
  EXIT_CODE,
  printLine,
  runCommandLine,
  useDatabaseUrl,
  UsageError,
  type OpenDatabaseServer,
} from './command-line.js';

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
  outbox status        shows unpublished events, their delay, the retry queue, the number of dead letters and job queues
  outbox republish     publishes all events appended since TIME (ISO 8601) again; handlers ignore those they processed

  APP is userctx, mcdisk or gateway. DATABASE_URL selects the database server; without it, standalone uses the embedded one.
  The program of userctx alone asks the other apps at MCDISK_URL and GATEWAY_URL. Job queues are shown by running apps.

Each command is added to the audit list.

Exit code: 0 when the command was carried out, 1 when a dead letter does not exist or is raw, 2 when nothing was done.
`;

/** A command for dead letters or outboxes. */
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

/** A command, as the audit list shows it. */
export interface AuditedCommand {
  operation: string;
  /** What the command concerns; never a secret. */
  fields: Readonly<Record<string, string>>;
}

/** An app to which a command applies. */
interface AdministeredApp {
  name: string;
  administration: AppAdministration;
}

/** The operator's program of one app, or of all apps. */
export interface OperatorProgram {
  /** The databases that the program opens. The apps without a declaration are asked over HTTP. */
  declarations: readonly DatabaseDeclaration[];
  /** Opens the database server; by default that of DATABASE_URL, which must be set. */
  openServer?: OpenDatabaseServer;
  /** Commands in addition to those for dead letters and outboxes. */
  appCommands: readonly AppCommands[];
  /** Explains the commands that are programs of their own, for --help. */
  programsUsage: string;
  /** Adds a command to the audit list, in the database of userctx at `url`, before the command acts. */
  audit(url: string, command: AuditedCommand): Promise<void>;
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
   * @param deliveries - diagnoses deliveries on the database of the gateway; absent if the program does not open it
   * @returns the exit code
   * @throws UsageError, ServiceError if nothing was done
   */
  run(
    args: readonly string[],
    environment: Environment,
    url: string,
    deliveries?: DeliveryDiagnosisSource,
  ): Promise<number>;
}

/** Runs a command line of operators, and sets the exit code of the process. */
export async function runOperatorCommand(program: OperatorProgram, args: readonly string[]): Promise<void> {
  const { appCommands, programsUsage, openServer = useDatabaseUrl } = program;
  await runCommandLine(async () => {
    const owner = appCommands.find(({ subjects }) => subjects.includes(args[0] ?? ''));
    const asksForHelp = args.includes('--help');
    if (owner && !asksForHelp) return executeAppCommand(args, owner, openServer);
    const command = asksForHelp ? undefined : parseCommand(args);
    if (command) return execute(command, program, openServer);
    const usages = owner ? [owner.usage] : [USAGE, ...appCommands.map(({ usage }) => usage), programsUsage];
    process.stdout.write(usages.join('\n'));
    return EXIT_CODE.DONE;
  });
}

/** @throws UsageError */
function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
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
  const options = { json: flag, all: flag, app: text, handler: text, limit: text, since: text } as const;
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

async function execute(command: Command, program: OperatorProgram, openServer: OpenDatabaseServer): Promise<number> {
  const { declarations } = program;
  const operation = `${command.subject} ${command.action}`;
  const run = COMMANDS[operation];
  if (!run) throw new UsageError(`Unknown command.\n\n${USAGE}`);
  const environment = loadEnvironment();
  const remote = Object.entries(remoteAppsOf(environment).administrations).flatMap(([name, administration]) =>
    declarations.some((declaration) => declaration.name === name) ? [] : [{ name, administration }],
  );
  const names = [...declarations, ...remote].map(({ name }) => name);
  if (command.app !== undefined && !names.includes(command.app))
    throw new UsageError(`--app must be one of ${names.join(', ')}`);
  const isSelected = ({ name }: { name: string }) => command.app === undefined || command.app === name;
  const server = await openServer(environment);
  const databases = [];
  try {
    const apps: AdministeredApp[] = [];
    for (const declaration of declarations.filter(isSelected)) {
      const database = await openAppDatabase({ ...declaration, url: server.url, limits: { poolSize: 2 } });
      databases.push(database);
      await database.assertSchemaSupported();
      const scope = new UnitOfWork(database.dataSource, database.schema);
      const { name } = declaration;
      apps.push({ name, administration: new LocalAppAdministration(name, scope) });
    }
    apps.push(...remote.filter(isSelected));
    return await run(command, apps, () => program.audit(server.url, { operation, fields: auditedFields(command) }));
  } finally {
    for (const database of databases) await database.close();
    await server.stop();
  }
}

function auditedFields({ app, handler, ids, all, since }: Command): Record<string, string> {
  return {
    ...(app !== undefined && { app }),
    ...(handler !== undefined && { handler }),
    ...(ids.length > 0 && { deadLetterIds: ids.join(',') }),
    ...(all && { all: 'true' }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
  };
}

/** Runs a command. `audit` must be awaited after the arguments are checked and before the command acts. */
type Run = (command: Command, apps: readonly AdministeredApp[], audit: () => Promise<void>) => Promise<number>;

const COMMANDS: Readonly<Record<string, Run>> = {
  'dead-letters list': listDeadLetters,
  'dead-letters replay': replayDeadLetters,
  'dead-letters drop': dropDeadLetters,
  'outbox status': showStatus,
  'outbox republish': republish,
};

async function listDeadLetters(...[{ handler, limit, json }, apps, audit]: Parameters<Run>): Promise<number> {
  await audit();
  for (const { name, administration } of apps) {
    for await (const deadLetter of findDeadLetters(administration, handler ?? null, limit))
      printLine(json ? JSON.stringify({ app: name, ...deadLetter }) : describeDeadLetter(name, deadLetter));
  }
  return EXIT_CODE.DONE;
}

/** Iterates over at most `limit` dead letters in the order of their ids. */
async function* findDeadLetters(
  administration: AppAdministration,
  handler: string | null,
  limit: number,
): AsyncGenerator<DeadLetterDto> {
  for (let [after, left]: [string | null, number] = [null, limit]; left > 0;) {
    const size = Math.min(left, PAGE_SIZE);
    const page: DeadLetterDto[] = await administration.listDeadLetters({ handler, after, limit: size });
    yield* page;
    if (page.length < size) return;
    after = page.at(-1)?.deadLetterId ?? null;
    left -= page.length;
  }
}

function describeDeadLetter(app: string, deadLetter: DeadLetterDto): string {
  const { deadLetterId, handler, eventName, eventId, key, rawBytes, attempts, deadLetteredAt, lastError } = deadLetter;
  const what = rawBytes === null ? `${eventName} ${eventId} key ${key}` : `raw ${rawBytes} bytes`;
  const when = new Date(deadLetteredAt).toISOString();
  return `${app} ${deadLetterId}  ${when}  ${handler}  ${what}  attempts ${attempts}  ${lastError ?? ''}`;
}

async function replayDeadLetters(...[command, apps, audit]: Parameters<Run>): Promise<number> {
  const { administration } = requireApp(command, apps);
  const given = command.all ? null : requireIds(command);
  await audit();
  const ids = given ?? (await findReplayableIds(administration, command.handler ?? null));
  return changeDeadLetters(ids, (part) => administration.replayDeadLetters(part), {
    changed: 'moved to the retry queue',
    unchanged: 'does not exist or is raw',
  });
}

async function dropDeadLetters(...[command, apps, audit]: Parameters<Run>): Promise<number> {
  const { administration } = requireApp(command, apps);
  const ids = requireIds(command);
  await audit();
  return changeDeadLetters(ids, (part) => administration.dropDeadLetters(part), {
    changed: 'dropped',
    unchanged: 'does not exist',
  });
}

/** Returns the ids of all dead letters that are events, oldest first. */
async function findReplayableIds(administration: AppAdministration, handler: string | null): Promise<string[]> {
  const ids: string[] = [];
  for await (const { deadLetterId, rawBytes } of findDeadLetters(administration, handler, Infinity))
    if (rawBytes === null) ids.push(deadLetterId);
  return ids;
}

/**
 * Applies `change` to the ids, and prints `changed` or `unchanged` for each as `change` returned true or false.
 *
 * @returns the exit code
 */
async function changeDeadLetters(
  ids: readonly string[],
  change: (ids: readonly string[]) => Promise<boolean[]>,
  texts: { changed: string; unchanged: string },
): Promise<number> {
  let failures = 0;
  for (let start = 0; start < ids.length; start += MAX_DEAD_LETTERS) {
    const part = ids.slice(start, start + MAX_DEAD_LETTERS);
    for (const [index, isChanged] of (await change(part)).entries()) {
      if (!isChanged) failures += 1;
      printLine(`${part[index]} ${isChanged ? texts.changed : texts.unchanged}`);
    }
  }
  return failures > 0 ? EXIT_CODE.NOT_FOUND : EXIT_CODE.DONE;
}

async function showStatus(...[{ json }, apps, audit]: Parameters<Run>): Promise<number> {
  await audit();
  for (const { administration } of apps) {
    const status = await administration.getStatus();
    for (const line of json ? [JSON.stringify(status)] : describeStatus(status)) printLine(line);
  }
  return EXIT_CODE.DONE;
}

function describeStatus({
  app,
  unpublished,
  publicationDelayMs,
  retries,
  deadLetters,
  queues,
}: AppStatusDto): string[] {
  const delay = `oldest waits ${(publicationDelayMs / 1_000).toFixed(1)} s`;
  return [
    `${app}  unpublished ${unpublished} (${delay})  retry queue ${retries}  dead letters ${deadLetters}`,
    ...queues.filter(({ due }) => due > 0).map(({ job, due }) => `${app}  ${job}  ${due} due`),
  ];
}

async function republish(...[command, apps, audit]: Parameters<Run>): Promise<number> {
  const { name, administration } = requireApp(command, apps);
  if (command.since === undefined) throw new UsageError('--since is required');
  await audit();
  printLine(`${name} publishes ${await administration.republishSince(command.since)} events again`);
  return EXIT_CODE.DONE;
}

/** Returns the app that the command names. @throws UsageError if the command names no app */
function requireApp({ app }: Command, apps: readonly AdministeredApp[]): AdministeredApp {
  const [only] = apps;
  if (app === undefined || !only) throw new UsageError('--app is required');
  return only;
}

function requireIds({ ids }: Command): string[] {
  if (ids.length === 0) throw new UsageError('At least one ID is required');
  return ids;
}
