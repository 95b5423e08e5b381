import { parseArgs } from 'node:util';
import {
  AccountPhoneNumberField,
  CallingCodeField,
  requirePhone,
} from '@family-watch/domain/accounts/dto/phone-fields';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { NameField } from '@family-watch/domain/kernel/dto/fields';
import { createCapabilityToken } from '@family-watch/platform/auth/random-codes';
import type { Environment } from '@family-watch/platform/config/environment';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import {
  EXIT_CODE,
  runCommandLine,
  useDatabaseUrl,
  UsageError,
  validateArguments,
  type OpenDatabaseServer,
} from '@family-watch/platform/app/operator/command-line';
import { auditCommand, useCommandDatabase, type CommandDatabase } from './audited-command.js';
import { AccountRepository } from '../accounts/account.repository.js';
import { createAccount } from '../accounts/new-account.js';
import { SignInLinkRepository } from '../accounts/sessions/sign-in-link.repository.js';
import { terminalQrCode } from './terminal-qr-code.js';

const USAGE = `Creates an account without an SMS and prints a sign-in link. The service may be running.

  npm run operator -- account create --area-code +86 --phone 13812345678 [--nickname NAME]
  npm run operator -- account create --area-code +86 --phone 13812345678 --new-link

  --new-link  prints a new link for an existing account

Each command is added to the audit list, without the phone number.
The link works once, within an hour. Whoever has the link can sign in to the account.
DATABASE_URL selects the database server; without it, standalone uses the embedded one.
PUBLIC_URL is the base of the link, by default http://127.0.0.1 with the port PORT.

Exit code: 0 when the link was printed, 1 when the account exists already (or, with --new-link, does not exist), 2 when
nothing was done.
`;

/** Milliseconds in which a link can be used. */
const LINK_TTL_MS = 60 * 60_000;

/** The options of the command, validated like the request of a sign-up. */
class CreateAccountOptions {
  @CallingCodeField()
  areaCode!: string;

  @AccountPhoneNumberField()
  phone!: string;

  @NameField({ optional: true })
  nickname?: string;
}

type ParsedOptions = CreateAccountOptions & { newLink: boolean };

/**
 * Runs the command line `account create`, and sets the exit code of the process.
 *
 * @param args - what follows `account`
 * @param openServer - opens the database server; by default that of DATABASE_URL, which must be set
 */
export async function runCreateAccountCommand(
  args: readonly string[],
  openServer: OpenDatabaseServer = useDatabaseUrl,
): Promise<void> {
  await runCommandLine(async () => {
    const options = parseOptions(args);
    if (options) return execute(options, loadEnvironment(), openServer);
    process.stdout.write(USAGE);
    return EXIT_CODE.DONE;
  });
}

/**
 * Parses the command line. Returns undefined for --help.
 * @throws UsageError
 */
function parseOptions(args: readonly string[]): ParsedOptions | undefined {
  const { values, positionals } = parse(args);
  const { help, 'area-code': areaCode, 'new-link': newLink, phone, nickname } = values;
  if (help) return undefined;
  if (positionals.join(' ') !== 'create') throw new UsageError(`Unknown command.\n\n${USAGE}`);
  return { ...validateArguments(CreateAccountOptions, { areaCode, phone, nickname }, { usage: USAGE }), newLink };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const options = { help: flag, 'new-link': flag, 'area-code': text, phone: text, nickname: text } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function execute(
  options: ParsedOptions,
  environment: Environment,
  openServer: OpenDatabaseServer,
): Promise<number> {
  const server = await openServer(environment);
  try {
    return await useCommandDatabase(server.url, (database) => createLink(options, environment, database));
  } finally {
    await server.stop();
  }
}

async function createLink(
  { areaCode, phone: phoneNumber, nickname, newLink }: ParsedOptions,
  environment: Environment,
  database: CommandDatabase,
): Promise<number> {
  const { unitOfWork } = database;
  const accounts = new AccountRepository(unitOfWork);
  const phone = requirePhone(areaCode, phoneNumber);
  const { token, hash: tokenHash } = createCapabilityToken();
  const createdAt = Date.now();
  const expiresAt = createdAt + LINK_TTL_MS;
  const account = newLink ? await accounts.findByPhone(phone) : createAccount(phone, null, { nickname });
  const operation = newLink ? 'account:create --new-link' : 'account:create';
  await auditCommand(database, { operation, fields: { ...(account && { userId: account.userId }) } });
  const isLinked =
    account !== null &&
    (await unitOfWork.run(async () => {
      if (!newLink && !(await accounts.insert(account))) return false;
      const { userId, credentialVersion } = account;
      await new SignInLinkRepository(unitOfWork).insert({ tokenHash, userId, credentialVersion, createdAt, expiresAt });
      return true;
    }));
  if (!isLinked) {
    const reason = newLink ? 'has no account' : 'already has an account. --new-link prints a sign-in link for it';
    process.stderr.write(`This phone number ${reason}.\n`);
    return EXIT_CODE.NOT_FOUND;
  }
  process.stdout.write(describeLink(account, token, expiresAt, environment));
  return EXIT_CODE.DONE;
}

function describeLink({ userId }: AccountEntity, token: string, expiresAt: number, environment: Environment): string {
  const { PUBLIC_URL = `http://127.0.0.1:${environment.PORT}` } = environment;
  const base = PUBLIC_URL.replace(/\/+$/, '');
  const link = `${base}/sign-in#token=${token}`;
  return `Account ${userId}
Sign-in link, valid once until ${new Date(expiresAt).toISOString()}:

  ${link}
${terminalQrCode(link)}
Without a browser that opens the link:

  curl ${base}/apis/v2/userctx/user/account/sign-in --json '{"linkToken":"${token}"}'
`;
}
