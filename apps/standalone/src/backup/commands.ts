import { mkdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { openDatabaseUrl } from '@family-watch/embedded-postgres/embedded-postgres';
import type { Environment } from '@family-watch/platform/config/environment';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { acquireDataDirLock, DataDirInUseError, type DataDirLock } from '@family-watch/platform/database/data-dir-lock';
import { EXIT_CODE, UsageError } from '@family-watch/platform/app/operator/command-line';
import { createSecretKey, readSecretKey, storeSecretKey } from '../secret-key.js';
import { openDatabaseServer } from '../standalone-database.js';
import { authenticationKeyOf, listKeys, type TrustedKeys } from './authenticity.js';
import { BackupReader, rotate } from './backup-directory.js';
import { BackupUnusableError, createBackupKey, readBackupKey } from './backup-file.js';
import { createBackup, type BackupResult } from './create-backup.js';
import { accessOfStandalone, accessOfContainers, fingerprintOf, secretKeyOf, type AppAccess } from './deployment.js';
import { restoreTemporarily } from './rehearsal.js';
import { restoreBackup, type RestoreRequest } from './restore-backup.js';

const PRIVATE_DIRECTORY_MODE = 0o700;
const DEFAULT_KEEP = 7;

const BACKUP_USAGE = `Writes a backup of database and files into BACKUP_DIR. The service may be running.

  npm run backup -- [--keep N] [--include-secrets] [--containers]
  npm run backup -- create-key FILE
  npm run backup -- authentication-key FILE

  --keep N           keeps the newest N backups, 7 by default, and deletes the others
  --include-secrets  also stores SECRET_KEY in a backup that is not encrypted; encrypted backups always contain it
  --containers       connects with the variables of docker/env/backup.env instead of DATABASE_URL or DATA_DIR
  create-key FILE    creates a key pair: FILE contains the private key, for BACKUP_KEY_FILE; prints BACKUP_PUBLIC_KEY and
                     BACKUP_AUTHENTICATION_KEY
  authentication-key FILE
                     prints BACKUP_AUTHENTICATION_KEY of the private key in FILE

With BACKUP_PUBLIC_KEY, the backup is encrypted (age). BACKUP_AUTHENTICATION_KEY, or else SECRET_KEY, proves that this
service has written it. Exit code: 0 when the backup is complete, 1 when it is complete, but files of the family cloud
were lost before, its time could not be written to the store, or an older backup is damaged, 2 when there is no new
backup.
`;

const RESTORE_USAGE = `Restores a backup into an empty database. The service must not be running.

  npm run restore -- [--from DIR] [--secrets keep|renew] [--accept-unauthenticated] [--containers]
  npm run restore -- --verify [--from DIR] [--accept-unauthenticated] [--containers]

  --from DIR        a backup, or a directory with backups, of which the newest is restored; BACKUP_DIR by default
  --secrets keep    continues with the SECRET_KEY of the backup (default): sessions and operators stay
  --secrets renew   creates a new SECRET_KEY: all sessions end, and operators are created again
  --verify          only checks the backup: reads all files, restores the rows into a temporary database in TMPDIR, which
                    needs about as much space as the service's database, and compares them with the backup
  --verify=quick    only reads all files and compares them with their digests
  --accept-unauthenticated
                    accepts a backup although a key is set and does not prove who has written it, or although the blob
                    store knows a newer backup
  --containers      connects with the variables of docker/env/backup.env instead of DATABASE_URL or DATA_DIR

DATA_DIR or DATABASE_URL (with MIGRATION_DATABASE_URL) names the target. BACKUP_KEY_FILE names the private key of an encrypted
backup. If it or SECRET_KEY (also DATA_DIR/secret.key) is set, it must prove who has written the backup. Exit code: 0 when the
backup was restored, 2 when not.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** Runs `npm run backup`. Returns the exit code. */
export async function runBackup(args: readonly string[]): Promise<number> {
  const options = { keep: text, 'include-secrets': flag, containers: flag, help: flag } as const;
  const { values, positionals } = parse(args, options, BACKUP_USAGE);
  if (values.help) return print(BACKUP_USAGE);
  const [command, file] = positionals;
  if (command === 'create-key' && file !== undefined) return createKey(file);
  if (command === 'authentication-key' && file !== undefined)
    return print(`${describeAuthenticationKey(await readBackupKey(file))}\n`);
  if (command !== undefined) throw new UsageError(BACKUP_USAGE);
  const keep = values.keep === undefined ? DEFAULT_KEEP : Number(values.keep);
  if (!Number.isInteger(keep) || keep < 1) throw new UsageError('--keep must be a number from 1');
  const environment = loadEnvironment();
  const includeSecrets = values['include-secrets'] || environment.BACKUP_PUBLIC_KEY !== undefined;
  const root = resolve(environment.BACKUP_DIR);
  mkdirSync(root, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  // Requests of families take precedence.
  setPriority(constants.priority.PRIORITY_LOW);
  const lock = lockBackups(root);
  try {
    const create = (apps: readonly AppAccess[]) => createBackup({ root, apps, environment, includeSecrets });
    const result = values.containers ? await create(accessOfContainers()) : await withStandalone(environment, create);
    print(describeBackup(result, environment));
    const isMarked = reportMark(result);
    const isRotated = await tryRotate(root, keep);
    const isComplete = result.manifest.missingBlobs.length === 0;
    return isMarked && isRotated && isComplete ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
  } finally {
    lock.release();
  }
}

/** Returns false, after printing the reason, if the store does not know the time of the backup. */
function reportMark({ markError }: BackupResult): boolean {
  if (markError === undefined) return true;
  process.stderr.write(
    `The time of the backup could not be written to the store of the family cloud: ${markError.message}\n` +
      'A restore cannot check whether this backup is the newest.\n',
  );
  return false;
}

/** @throws UsageError while another backup is being written */
function lockBackups(root: string): DataDirLock {
  try {
    return acquireDataDirLock(root);
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) throw error;
    throw new UsageError(`Another process (${error.pid ?? 'unknown'}) is writing a backup into ${root}`);
  }
}

/** Deletes old backups. Returns false, after printing the reason, if one of the others cannot be read. */
async function tryRotate(root: string, keep: number): Promise<boolean> {
  try {
    for (const name of await rotate(root, keep)) print(`Deleted the backup ${name}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof BackupUnusableError)) throw error;
    process.stderr.write(`${error.message}. No file of the family cloud was deleted.\n`);
    return false;
  }
}

/** Runs `npm run restore`. Returns the exit code. */
export async function runRestore(args: readonly string[]): Promise<number> {
  const options = {
    from: text,
    secrets: text,
    verify: text,
    'accept-unauthenticated': flag,
    containers: flag,
    help: flag,
  } as const;
  const completed = args.map((arg) => (arg === '--verify' ? '--verify=full' : arg));
  const { values, positionals } = parse(completed, options, RESTORE_USAGE);
  if (values.help) return print(RESTORE_USAGE);
  const { secrets = 'keep', from } = values;
  if (positionals.length > 0) throw new UsageError(RESTORE_USAGE);
  if (secrets !== 'keep' && secrets !== 'renew') throw new UsageError('--secrets must be keep or renew');
  if (!['full', 'quick', undefined].includes(values.verify)) throw new UsageError('--verify can only be quick');
  const environment = loadEnvironment();
  const { BACKUP_DIR, BACKUP_KEY_FILE, SECRET_KEY, DATA_DIR } = environment;
  const key = BACKUP_KEY_FILE === undefined ? undefined : await readBackupKey(BACKUP_KEY_FILE);
  const secretKey = values.containers ? secretKeyOf(accessOfContainers()) : (SECRET_KEY ?? readSecretKey(DATA_DIR));
  const backup = await BackupReader.open(from ?? BACKUP_DIR, key);
  const acceptsUnauthenticated = values['accept-unauthenticated'];
  const trustedKeys = { backupKey: authenticationKeyOf(key), secretKey: authenticationKeyOf(secretKey) };
  print(await describeOrigin(backup, trustedKeys, acceptsUnauthenticated));
  await backup.verify();
  print(`The backup ${backup.directory} is complete and undamaged\n`);
  if (values.verify === 'quick')
    return print('Only its files were checked, and not that a database can be restored from them (--verify)\n');
  if (values.verify === 'full') return rehearse(backup);
  const report = values.containers
    ? await restoreContainers({ backup, environment, secrets, acceptsOlder: acceptsUnauthenticated })
    : await restoreStandalone({ backup, environment, secrets, acceptsOlder: acceptsUnauthenticated });
  return print(report.map((line) => `${line}\n`).join(''));
}

async function rehearse(backup: BackupReader): Promise<number> {
  // The service may be running on this machine.
  setPriority(constants.priority.PRIORITY_LOW);
  const rows = await restoreTemporarily(backup, (directory) =>
    print(`Restores the rows into a temporary database in ${directory}, which needs the space of a whole database\n`),
  );
  return print(`${rows} rows were restored and are those of the backup. The temporary database is deleted.\n`);
}

/**
 * Returns what is known of the origin of a backup.
 *
 * @throws BackupUnusableError if a key is configured that does not prove the origin, unless that is accepted
 */
async function describeOrigin(backup: BackupReader, keys: TrustedKeys, isAccepted: boolean): Promise<string> {
  const harm = 'Whoever could write to its directory may have changed accounts, passwords, messages and files in it';
  if (listKeys(keys).length === 0)
    return `Nothing proves who has written the backup: neither BACKUP_KEY_FILE nor SECRET_KEY is set. ${harm}.\n`;
  const problem = await backup.authenticate(keys);
  if (isAccepted) {
    backup.trustedKeys = [];
    const origin = problem === undefined ? 'the author of' : `who has written the backup (${problem}) and`;
    return `Not proven: ${origin} the list of deleted accounts, and that no newer backup exists. ${harm}.\n`;
  }
  if (problem === undefined) return 'The origin of the backup is proven\n';
  throw new BackupUnusableError(
    `${backup.directory} was refused: ${problem}. ${harm}. If you know where it comes from, add --accept-unauthenticated.`,
  );
}

async function createKey(file: string): Promise<number> {
  const publicKey = await createBackupKey(file);
  const authenticationKey = describeAuthenticationKey(await readBackupKey(file));
  return print(
    `${file} contains the private key. Keep it outside of this machine.\n` +
      `BACKUP_PUBLIC_KEY=${publicKey}\n${authenticationKey}\n`,
  );
}

function describeAuthenticationKey(privateKey: string): string {
  return `BACKUP_AUTHENTICATION_KEY=${authenticationKeyOf(privateKey).toString('hex')}`;
}

async function withStandalone<Result>(
  environment: Environment,
  work: (apps: readonly AppAccess[]) => Promise<Result>,
): Promise<Result> {
  const server = await openDatabaseUrl(environment);
  try {
    return await work(accessOfStandalone(server, environment.SECRET_KEY ?? readSecretKey(environment.DATA_DIR)));
  } finally {
    await server.stop();
  }
}

type RestoreOptions = Omit<RestoreRequest, 'apps' | 'beforeCompletion'>;

async function restoreContainers(options: RestoreOptions): Promise<string[]> {
  const report = await restoreBackup({ ...options, apps: accessOfContainers() });
  // The NATS users of the apps may not delete streams.
  return [...report, 'Delete the volume nats before the service starts'];
}

/** Restores into the database of standalone, and stores its SECRET_KEY in DATA_DIR unless the environment sets it. */
async function restoreStandalone({ environment: configured, ...options }: RestoreOptions): Promise<string[]> {
  const { backup, secrets } = options;
  const dataDir = resolve(configured.DATA_DIR);
  const environment = { ...configured, DATA_DIR: dataDir };
  const secretKey = configured.SECRET_KEY ?? (await chooseSecretKey(backup, dataDir, secrets));
  mkdirSync(dataDir, { recursive: true });
  const server = await openDatabaseServer(environment);
  try {
    const apps = accessOfStandalone(server, secretKey);
    const beforeCompletion = (): void => {
      if (configured.SECRET_KEY === undefined && secretKey !== undefined) storeSecretKey(dataDir, secretKey);
    };
    return await restoreBackup({ ...options, apps, environment, beforeCompletion });
  } finally {
    await server.stop();
  }
}

/** Returns the key of the backup or a new one. A key that DATA_DIR already has is used if it is the one of the backup. */
async function chooseSecretKey(
  backup: BackupReader,
  dataDir: string,
  secrets: 'keep' | 'renew',
): Promise<string | undefined> {
  if (secrets === 'renew') return createSecretKey();
  const present = readSecretKey(dataDir);
  if (present !== undefined && fingerprintOf(present) === backup.manifest.keyFingerprints.userctx) return present;
  return (await backup.readSecrets())?.userctx ?? present;
}

function describeBackup(
  { path, manifest, blobs, newBlobs }: BackupResult,
  { BACKUP_PUBLIC_KEY, BACKUP_AUTHENTICATION_KEY }: Environment,
): string {
  const { tables, missingBlobs, secrets } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [`Backup ${path}: ${rows} rows, ${blobs - missingBlobs.length} files, of which ${newBlobs} are new`];
  if (!secrets) lines.push('It does not contain SECRET_KEY. Keep that key too: a restore needs it.');
  if (BACKUP_PUBLIC_KEY !== undefined && BACKUP_AUTHENTICATION_KEY === undefined)
    lines.push(
      'BACKUP_KEY_FILE alone does not prove who has written it. Set BACKUP_AUTHENTICATION_KEY, which ' +
        '`npm run backup -- authentication-key FILE` prints where the private key is.',
    );
  if (missingBlobs.length > 0)
    lines.push(`${missingBlobs.length} files were lost before the backup; run npm run operator -- fsck`);
  return `${lines.join('\n')}\n`;
}

function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options, usage: string) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

function print(output: string): number {
  process.stdout.write(output);
  return EXIT_CODE.DONE;
}
