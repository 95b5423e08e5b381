import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import type { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { DataDirInUseError } from '@family-watch/platform/database/data-dir-lock';
import { openDatabaseUrl } from '@family-watch/embedded-postgres/embedded-postgres';
import { createBlobStore } from './storage/blobs/blob-store-provider.js';
import { formatFsckReport, type FsckReport, type FsckOptions } from './storage/fsck/fsck-report.js';
import { Fsck } from './storage/fsck/fsck.js';
import { mcdiskDatabase } from './database/mcdisk-database.js';
import { McdiskUnitOfWork } from './infrastructure/mcdisk-infrastructure.js';

const EXIT_CODE = { NO_FINDINGS: 0, FINDINGS: 1, NOT_RUN: 2 } as const;
/** Statement timeout, long because a check reads whole tables. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

const USAGE_TEXT = `Checks the family cloud's store against its database. The service may be running.

  npm run operator -- fsck [--repair] [--sample N | --all-digests] [--allow N] [--adopt-store] [--json]

  --repair       corrects usage counters, finishes stuck deletions and deletes orphaned bytes; missing bytes are only reported
  --sample N     reads and hashes N random blobs; --all-digests reads all blobs
  --allow N      allows a repair to delete up to N blobs; the default is 1 % of all blobs
  --adopt-store  adopts a store that belongs to another database, or to a newer state of this database
  --json         prints the full report as JSON

Exit code: 0 when store and database agree, 1 for findings, 2 when the check or the repair was not run.
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface FsckArguments extends FsckOptions {
  json: boolean;
  adoptStore: boolean;
}

/**
 * Parses the command line. Returns `undefined` for --help.
 * @throws UsageError for an unknown option or an invalid value
 */
function parseArguments(): FsckArguments | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    repair: flag,
    json: flag,
    help: flag,
    'all-digests': flag,
    'adopt-store': flag,
    sample: { type: 'string' },
    allow: { type: 'string' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help) return undefined;
    const { repair, json, sample, allow } = values;
    return {
      repair,
      json,
      adoptStore: values['adopt-store'],
      sampleSize: values['all-digests'] ? Number.POSITIVE_INFINITY : (parseCount('sample', sample) ?? 0),
      maxDeletions: parseCount('allow', allow),
    };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE_TEXT}`);
  }
}

function parseCount(option: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,9}$/.test(text))
    throw new UsageError(`--${option} must be a number of at most nine digits`);
  return text === undefined ? undefined : Number(text);
}

async function runCheck(environment: Environment, { adoptStore, ...options }: FsckArguments): Promise<FsckReport> {
  const server = await openDatabaseUrl(environment);
  try {
    const database = await openAppDatabase({
      ...mcdiskDatabase,
      url: server.url,
      limits: {
        poolSize: 2,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
      },
    });
    try {
      await database.assertSchemaSupported();
      const unitOfWork = new McdiskUnitOfWork(database.dataSource, database.schema);
      const fsck = new Fsck(unitOfWork, await createBlobStore(environment));
      if (adoptStore) await fsck.adoptStore(Date.now());
      return await fsck.run(options);
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

function exitCodeOf({ refused, findings }: FsckReport): number {
  if (refused !== undefined) return EXIT_CODE.NOT_RUN;
  return findings.length > 0 ? EXIT_CODE.FINDINGS : EXIT_CODE.NO_FINDINGS;
}

function describeError(error: unknown): string {
  const expectedErrors = [UsageError, EnvironmentError, DataDirInUseError, DatabaseStartError];
  const isExpected = expectedErrors.some((errorClass) => error instanceof errorClass);
  return isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error);
}

try {
  const options = parseArguments();
  if (options) {
    const report = await runCheck(loadEnvironment(), options);
    process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatFsckReport(report));
    process.exitCode = exitCodeOf(report);
  } else {
    process.stdout.write(USAGE_TEXT);
  }
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = EXIT_CODE.NOT_RUN;
}
