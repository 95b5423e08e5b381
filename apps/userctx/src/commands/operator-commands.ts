import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DeliveryDiagnosisSource } from '@family-watch/domain/operators/app-administration';
import {
  MAX_ENROLMENT_LIST_ROWS,
  type EnrolmentListResult,
} from '@family-watch/domain/operators/contracts/enrolment-list';
import {
  COMMAND_LINE_ACTOR,
  COMMAND_LINE_PRINCIPAL,
  OPERATOR_ROLE,
  type OperatorRole,
} from '@family-watch/domain/operators/contracts/operator';
import type { WatchStatesQueryDto } from '@family-watch/domain/operators/dto/fleet.dto';
import type { DeliveriesQueryDto } from '@family-watch/domain/operators/dto/support.dto';
import type { CreateOperatorDto } from '@family-watch/domain/operators/dto/operator.dto';
import { openInProcessMessaging } from '@family-watch/event-bus/messaging';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { SecretBoxOpenError } from '@family-watch/platform/auth/secret-box';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import type { Environment } from '@family-watch/platform/config/environment';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import {
  EXIT_CODE,
  printLine,
  requireOption,
  UsageError,
  type CommandOptions,
  type ServiceCommand,
} from '@family-watch/platform/app/operator/command-line';
import type { AppCommands } from '@family-watch/platform/app/operator/operator-command';
import { auditCommand, useCommandDatabase, type CommandDatabase } from './audited-command.js';
import { AccessLogService } from '../privacy/access-log/access-log.service.js';
import { AccountRepository } from '../accounts/account.repository.js';
import { KeyRingService } from '../accounts/keys/key-ring.service.js';
import { findPhoneTwins } from './phone-twins.js';
import { terminalQrCode } from './terminal-qr-code.js';
import { FIRMWARE_OPTIONS, FIRMWARE_USAGE, firmwareCommands } from './firmware-commands.js';
import { DeliveriesService } from '../operators/deliveries.service.js';
import { OperatorAccountsService } from '../operators/operator-accounts.service.js';
import { EnrolmentListService } from '../watches/identity/enrolment-list.service.js';
import { WatchIdentityService } from '../watches/identity/watch-identity.service.js';
import { WatchStatesService } from '../watches/status/watch-states.service.js';
import { UserctxModule } from '../userctx.module.js';

const USAGE = `Operators, watches and firmware. Needs the DATABASE_URL and the SECRET_KEY of userctx, or standalone's DATA_DIR.

  npm run operator -- operators create --name NAME [--roles ROLE,...]
  npm run operator -- enrolment-list import --file FILE
  npm run operator -- enrolment-list remove IMEI...
  npm run operator -- enrolment-list list [--imei IMEI]
  npm run operator -- watch get (--did DID | --imei IMEI)
  npm run operator -- watch revoke-key --did DID
  npm run operator -- accounts list-twins
  npm run operator -- access-log verify --cid CID
  npm run operator -- deliveries get (--family-id ID | --user-id ID | --did DID)

  operators create       prints password, authenticator URL and recovery codes of a new operator once; the first operator
                         has the role ADMIN; roles are SUPPORT, FLEET, BILLING and ADMIN
  enrolment-list import  allows the watches of a CSV file to enrol; each line is IMEI,KEY, where KEY is the public key of
                         the manufacturer (Ed25519, base64url); prints the lines that are invalid
  watch get              shows the states of a watch, or of all watches that claim an IMEI
  watch revoke-key       unbinds a watch and ends its access permanently
  accounts list-twins    shows accounts that have the same phone number in two forms, such as +54 9 11 and +54 11; each
                         keeps working with its own form
  access-log verify      checks that nobody changed or removed entries of a child's access log; shows no entries
  deliveries get         shows why a family, a person or a watch does not receive messages: connections, mailbox, cursors
                         and push registrations, without any content

${FIRMWARE_USAGE}
Each command is added to the audit list.
`;

/** Options of all commands, as texts. */
const OPTIONS = ['name', 'roles', 'file', 'imei', 'did', 'cid', 'family-id', 'user-id', ...FIRMWARE_OPTIONS] as const;

const COMMANDS: Readonly<Record<string, ServiceCommand>> = {
  ...firmwareCommands,
  'operators create': {
    fields: ({ name, roles }) => ({
      loginName: requireOption('name', name),
      ...(roles !== undefined && { roles: parseRoles(roles).join(',') }),
    }),
    run: createOperator,
  },
  'enrolment-list import': {
    fields: ({ file }) => ({ file: requireOption('file', file) }),
    run: importEnrolmentList,
  },
  'enrolment-list remove': {
    fields: (_, imeis) => ({ imeis: imeis.length === 1 ? (imeis[0] ?? '') : `${imeis.length} items` }),
    run: async (app, _, imeis) => {
      const { results } = await app.get(EnrolmentListService, { strict: false }).remove({ imeis: [...imeis] });
      for (const [index, imei] of imeis.entries()) printLine(`${imei} ${results[index]}`);
      return results.every((result) => result === 'REMOVED') ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
    },
  },
  'enrolment-list list': {
    fields: ({ imei }) => ({ ...(imei && { imei }) }),
    run: listEnrolmentList,
  },
  'watch get': {
    fields: (options) => {
      const { did, ...query } = toWatchQuery(options);
      return { ...query, ...(did !== undefined && { did: String(did) }) };
    },
    run: async (app, options) => {
      const { items } = await app.get(WatchStatesService, { strict: false }).find(toWatchQuery(options));
      for (const item of items) printLine(JSON.stringify(item));
      return items.length > 0 ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
    },
  },
  'watch revoke-key': {
    fields: ({ did }) => ({ did: String(parseDid(did)) }),
    run: async (app, { did }) => {
      // The command line is no principal; the audit list names it.
      await app.get(WatchIdentityService, { strict: false }).revokeKey(parseDid(did), COMMAND_LINE_PRINCIPAL);
      printLine(`${did} revoked`);
      return EXIT_CODE.DONE;
    },
  },
  'accounts list-twins': {
    fields: () => ({}),
    run: async (app) => {
      let hasTwins = false;
      for await (const twins of findPhoneTwins(app.get(AccountRepository, { strict: false }))) {
        hasTwins = true;
        printLine(JSON.stringify(twins));
      }
      return hasTwins ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
    },
  },
  'access-log verify': {
    fields: ({ cid }) => ({ cid: requireOption('cid', cid) }),
    run: async (app, { cid }) => {
      const result = await app.get(AccessLogService, { strict: false }).verify(requireOption('cid', cid));
      printLine(JSON.stringify(result));
      return result.brokenAt === null ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
    },
  },
  'deliveries get': {
    fields: (options) => {
      const { did, ...query } = toDeliveriesQuery(options);
      return { ...query, ...(did !== undefined && { did: String(did) }) };
    },
    run: async (app, options) => {
      const diagnosis = await app.get(DeliveriesService, { strict: false }).diagnose(toDeliveriesQuery(options));
      const { items, ...family } = diagnosis;
      for (const part of [family, ...items]) printLine(JSON.stringify(part));
      return EXIT_CODE.DONE;
    },
  },
};

/** Commands that run in the services of userctx, with an entry in the audit list for each. */
export const userctxCommands: AppCommands = {
  usage: USAGE,
  subjects: [...new Set(Object.keys(COMMANDS).map((name) => name.split(' ', 1)[0] ?? ''))],
  run: async (given, environment, url, deliveries) => {
    const { values, positionals } = parse(given);
    const [subject = '', action = '', ...args] = positionals;
    const name = `${subject} ${action}`;
    const command = COMMANDS[name];
    if (!command) throw new UsageError(`Unknown command.\n\n${USAGE}`);
    const fields = command.fields(values, args);
    return runInUserctx(environment, url, deliveries, async (app, database) => {
      await auditCommand(database, { operation: name, fields });
      return command.run(app, values, args);
    });
  },
};

function parse(args: readonly string[]): { values: CommandOptions; positionals: string[] } {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(OPTIONS.map((name) => [name, text])),
      allowPositionals: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function toWatchQuery({ did, imei }: CommandOptions): WatchStatesQueryDto {
  if ((did === undefined) === (imei === undefined)) throw new UsageError('Either --did or --imei is required');
  return did === undefined ? { imei } : { did: parseDid(did) };
}

function toDeliveriesQuery({ 'family-id': familyId, 'user-id': userId, did }: CommandOptions): DeliveriesQueryDto {
  const query = { ...(familyId && { familyId }), ...(userId && { userId }), ...(did && { did: parseDid(did) }) };
  if (Object.keys(query).length !== 1) throw new UsageError('Either --family-id, --user-id or --did is required');
  return query;
}

function parseDid(text: string | undefined): number {
  const did = Number(requireOption('did', text));
  if (!Number.isSafeInteger(did) || did < 1) throw new UsageError('--did must be the id of a watch');
  return did;
}

async function createOperator(app: INestApplicationContext, { name = '', roles }: CommandOptions): Promise<number> {
  const operators = app.get(OperatorAccountsService, { strict: false });
  const isFirst = !(await operators.hasOperators());
  if (roles === undefined && !isFirst) throw new UsageError('--roles is required, because there are operators already');
  const request: CreateOperatorDto = { loginName: name, roles: roles === undefined ? ['ADMIN'] : parseRoles(roles) };
  const created = await operators.create(request, COMMAND_LINE_ACTOR);
  const lines = [
    `Operator ${name} was created. This output is shown only once.`,
    `  operator id     ${created.operatorId}`,
    `  password        ${created.password}`,
    `  authenticator   ${created.otpauthUrl}`,
    ...created.recoveryCodes.map((code) => `  recovery code   ${code}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n${terminalQrCode(created.otpauthUrl)}`);
  return EXIT_CODE.DONE;
}

/** A line of the CSV file, counted from 1. */
interface EnrolmentLine {
  number: number;
  imei: string;
}

async function importEnrolmentList(app: INestApplicationContext, { file = '' }: CommandOptions): Promise<number> {
  const list = app.get(EnrolmentListService, { strict: false });
  const byKey = Map.groupBy(parseEnrolmentLines(await readText(file)), ({ makerKey }) => makerKey);
  const counts = new Map<string, number>();
  for (const [makerKey, lines] of byKey) {
    for (let start = 0; start < lines.length; start += MAX_ENROLMENT_LIST_ROWS) {
      const part = lines.slice(start, start + MAX_ENROLMENT_LIST_ROWS);
      for (const [index, result] of (await addToList(list, makerKey, part)).entries()) {
        counts.set(result, (counts.get(result) ?? 0) + 1);
        if (result === 'INVALID') printLine(`line ${part[index]?.number} is invalid`);
      }
    }
  }
  for (const [result, count] of counts) printLine(`${count} ${result}`);
  return counts.has('INVALID') ? EXIT_CODE.NOT_FOUND : EXIT_CODE.DONE;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`);
  }
}

/** Returns the lines of a CSV file with the columns IMEI and key; a first line with names of columns is left out. */
function parseEnrolmentLines(text: string): (EnrolmentLine & { makerKey: string })[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [imei = '', makerKey = ''] = line.split(',').map((field) => field.trim());
    const isHeader = index === 0 && !/\d/.test(imei);
    return imei === '' || isHeader ? [] : [{ number: index + 1, imei, makerKey }];
  });
}

/** Returns a result for each line. All lines are invalid if their key is invalid. */
async function addToList(
  list: EnrolmentListService,
  makerKey: string,
  lines: readonly EnrolmentLine[],
): Promise<EnrolmentListResult[]> {
  try {
    return (await list.add({ makerKey, imeis: lines.map(({ imei }) => imei) })).results;
  } catch (error) {
    if (!(error instanceof ServiceError && error.reason === 'VALIDATION_FAILED')) throw error;
    return lines.map(() => 'INVALID');
  }
}

async function listEnrolmentList(app: INestApplicationContext, { imei }: CommandOptions): Promise<number> {
  const list = app.get(EnrolmentListService, { strict: false });
  for (let cursor: string | undefined; ;) {
    const page = await list.list({ cursor, limit: 200, imei });
    for (const entry of page.items)
      printLine(`${entry.imei},${entry.makerKey},${new Date(entry.listedAt).toISOString()}`);
    if (page.nextCursor === null) return EXIT_CODE.DONE;
    cursor = page.nextCursor;
  }
}

function parseRoles(list: string): OperatorRole[] {
  const roles = [...new Set(list.toUpperCase().split(','))];
  const known: readonly string[] = Object.values(OPERATOR_ROLE);
  if (!roles.every((role) => known.includes(role))) throw new UsageError(`--roles must be of ${known.join(', ')}`);
  return roles as OperatorRole[];
}

/**
 * Runs `work` with the services of userctx. The application is not initialized: no job, event handler or server runs, so
 * that the command may run next to the service.
 */
async function runInUserctx<Result>(
  environment: Environment,
  url: string,
  deliveries: DeliveryDiagnosisSource | undefined,
  work: (app: INestApplicationContext, database: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  if (environment.SECRET_KEY === undefined)
    throw new UsageError(
      'SECRET_KEY is not known. Set SECRET_KEY to the value of the service, or DATA_DIR to the directory of standalone, ' +
        'which contains its secret.key.',
    );
  return useCommandDatabase(url, (database) =>
    useUserctx(environment, database, deliveries, (app) => work(app, database)),
  );
}

async function useUserctx<Result>(
  environment: Environment,
  { database }: CommandDatabase,
  deliveries: DeliveryDiagnosisSource | undefined,
  work: (app: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  const logger = createLogger('silent', 'operator');
  const messaging = openInProcessMessaging([], toStructuredLogger(logger));
  // Not used, because no request is authenticated.
  const authenticator = new Authenticator(new TokenVerifier(noKeys), messaging.revocations);
  try {
    const app = await createApplication({
      module: {
        module: class CommandRoot {},
        imports: [
          UserctxModule.forRoot({
            database,
            environment,
            messaging,
            logger,
            authenticator,
            revocationPublisher: await messaging.openRevocationPublisher(),
          }),
        ],
        providers: deliveries ? [{ provide: DeliveryDiagnosisSource, useValue: deliveries }] : [],
      },
      environment,
      logger,
      authenticator,
    });
    await assertSecretKey(app);
    return await work(app);
  } finally {
    await messaging.close();
  }
}

const noKeys = (): Promise<never> => Promise.reject(new Error('Commands verify no tokens'));

/** @throws UsageError unless SECRET_KEY opens the signing keys of the service */
async function assertSecretKey(app: INestApplicationContext): Promise<void> {
  try {
    await app.get(KeyRingService, { strict: false }).onModuleInit();
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof SecretBoxOpenError)) throw error;
    throw new UsageError(error.message);
  }
}
