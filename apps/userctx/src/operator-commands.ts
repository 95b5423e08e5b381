import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { COMMAND_LINE_ACTOR, OPERATOR_ROLE } from '@family-watch/domain/operators/contracts/operator';
import type { OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import { openInProcessMessaging } from '@family-watch/event-bus/messaging';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { SecretBoxOpenError } from '@family-watch/platform/auth/secret-box';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import type { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { EXIT_CODE, UsageError } from '@family-watch/platform/operator/operator-command';
import type { AppCommands } from '@family-watch/platform/operator/operator-command';
import { KeyRingService } from './contexts/accounts/keys/key-ring.service.js';
import { AuditRepository } from './contexts/operators/audit.repository.js';
import { OperatorAccountsService } from './contexts/operators/operator-accounts.service.js';
import { userctxDatabase } from './database/userctx-database.js';
import { UserctxModule } from './userctx.module.js';

const USAGE = `Administers operators. Needs the DATABASE_URL and the SECRET_KEY of userctx, or standalone's DATA_DIR.

  npm run operator:create -- --name NAME [--roles ROLE,...]

  Prints password, authenticator URL and recovery codes of a new operator once. The first operator has the role ADMIN.
  Roles are SUPPORT, FLEET, BILLING and ADMIN.
`;

/** Options of all commands, as texts. */
type Options = Readonly<Record<'name' | 'roles', string | undefined>>;

interface Command {
  /** Returns the fields for the audit list. @throws UsageError if a required option is absent */
  fields(options: Options, args: readonly string[]): Record<string, string>;
  /** Returns the exit code. */
  run(app: INestApplicationContext, options: Options, args: readonly string[]): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'operators create': {
    fields: ({ name }) => ({ loginName: requireOption('name', name) }),
    run: createOperator,
  },
};

/** Commands that run in the services of userctx, with an entry in the audit list for each. */
export const userctxCommands: AppCommands = {
  usage: USAGE,
  subjects: [...new Set(Object.keys(COMMANDS).map((name) => name.split(' ', 1)[0] ?? ''))],
  run: async (given, environment, url) => {
    const { values, positionals } = parse(given);
    const [subject = '', action = '', ...args] = positionals;
    const name = `${subject} ${action}`;
    const command = COMMANDS[name];
    if (!command) throw new UsageError(`Unknown command.\n\n${USAGE}`);
    const fields = command.fields(values, args);
    return runInUserctx(environment, url, async (app) => {
      const entry = { actor: COMMAND_LINE_ACTOR, sessionId: null, operation: name, fields, admitted: true, ip: null };
      await app.get(AuditRepository, { strict: false }).append(entry);
      return command.run(app, values, args);
    });
  },
};

function parse(args: readonly string[]): { values: Options; positionals: string[] } {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { name: text, roles: text },
      allowPositionals: true,
    });
    return { values: { name: values.name, roles: values.roles }, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function requireOption(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

async function createOperator(app: INestApplicationContext, { name = '', roles }: Options): Promise<number> {
  const operators = app.get(OperatorAccountsService, { strict: false });
  const isFirst = !(await operators.hasOperators());
  if (roles === undefined && !isFirst) throw new UsageError('--roles is required, because there are operators already');
  const created = await operators.create({
    loginName: name,
    roles: roles === undefined ? ['ADMIN'] : parseRoles(roles),
  });
  const lines = [
    `Operator ${name} was created. This output is shown only once.`,
    `  operator id     ${created.operatorId}`,
    `  password        ${created.password}`,
    `  authenticator   ${created.otpauthUrl}`,
    ...created.recoveryCodes.map((code) => `  recovery code   ${code}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT_CODE.DONE;
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
  work: (app: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  if (environment.SECRET_KEY === undefined)
    throw new UsageError(
      "SECRET_KEY is required, with the service's value. Standalone creates its own at the first start.",
    );
  const logger = createLogger('silent', 'operator');
  const database = await openAppDatabase({ ...userctxDatabase, url, limits: { poolSize: 3 } });
  const messaging = openInProcessMessaging([], toStructuredLogger(logger));
  try {
    await database.assertSchemaSupported();
    const runner = database.dataSource.createQueryRunner();
    const isMigrated = await runner.hasTable('userctx.operator_account').finally(() => runner.release());
    if (!isMigrated)
      throw new UsageError('The tables do not exist yet. Start the service or run its migrations first.');
    const app = await createApplication({
      module: UserctxModule.forRoot({
        database,
        environment,
        messaging,
        logger,
        // Not used, because no request is authenticated.
        authenticator: new Authenticator(new TokenVerifier(noKeys), messaging.revocations),
        revocationPublisher: await messaging.openRevocationPublisher(),
      }),
      environment,
      logger,
      authenticator: new Authenticator(new TokenVerifier(noKeys), messaging.revocations),
    });
    await assertSecretKey(app);
    return await work(app);
  } finally {
    await messaging.close();
    await database.close();
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
