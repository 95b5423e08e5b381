import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import type { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { DataDirInUseError } from '@family-watch/platform/database/data-dir-lock';
import { EmbeddedPostgres, findEmbeddedPostgres } from '@family-watch/platform/database/embedded/embedded-postgres';
import { createBlobStore } from './contexts/blobs/create-blob-store.js';
import type { FsckReport, FsckOptions } from './contexts/fsck/finding.js';
import { Fsck } from './contexts/fsck/fsck.js';
import { formatFsckReport } from './contexts/fsck/fsck-report.js';
import { mcdiskDatabase } from './database/mcdisk-database.js';
import { McdiskUnitOfWork } from './infrastructure/mcdisk.unit-of-work.js';

const EXIT = { CLEAN: 0, FOUND: 1, REFUSED: 2 } as const;
/** A check looks at everything, milliseconds. */
const STATEMENT_MS = 30 * 60_000;

const USAGE = `Compares the family cloud's store with its database, beside a running service if need be.

  npm run mcdisk:fsck -- [--repair] [--sample N | --all-digests] [--allow N] [--adopt-store] [--json]

  --repair       corrects quotas, ends what is stuck and removes bytes that no row knows; missing bytes are only told
  --sample N     reads and hashes N blobs, at random; --all-digests reads all
  --allow N      lets a repair remove N blobs, instead of one in a hundred
  --adopt-store  takes over a store that is marked by another database, or by a newer state of this one
  --json         tells everything as JSON

Ends with 0 when store and database agree, 1 when something was found, 2 when it could not or would not do it.
`;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Arguments extends FsckOptions {
  json: boolean;
  adoptStore: boolean;
}

/** @throws UsageError */
function readArguments(): Arguments | undefined {
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
      sample: values['all-digests'] ? Number.POSITIVE_INFINITY : (countOf('sample', sample) ?? 0),
      allow: countOf('allow', allow),
    };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function countOf(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} is a number`);
  return text === undefined ? undefined : Number(text);
}

/** The server of DATABASE_URL; or the embedded one, which is joined while the service runs and started while not. */
async function openDatabaseUrl({ DATABASE_URL, DATA_DIR }: Environment) {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: () => Promise.resolve() };
  const running = findEmbeddedPostgres(DATA_DIR);
  try {
    const postgres = await EmbeddedPostgres.start({ dataDir: DATA_DIR });
    return { url: postgres.info.url, stop: () => postgres.stop() };
  } catch (error) {
    if (running && error instanceof DataDirInUseError) return { url: running.url, stop: () => Promise.resolve() };
    throw error;
  }
}

async function check(environment: Environment, { adoptStore, ...wishes }: Arguments): Promise<FsckReport> {
  const server = await openDatabaseUrl(environment);
  try {
    const database = await openAppDatabase({
      ...mcdiskDatabase,
      url: server.url,
      limits: { poolSize: 2, statementMs: STATEMENT_MS, idleInTransactionMs: STATEMENT_MS },
    });
    try {
      const unitOfWork = new McdiskUnitOfWork(database.dataSource, database.schema);
      const fsck = new Fsck(unitOfWork, await createBlobStore(environment));
      if (adoptStore) await fsck.adoptStore(Date.now());
      return await fsck.run(wishes);
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

function exitCodeOf({ refused, findings }: FsckReport): number {
  if (refused !== undefined) return EXIT.REFUSED;
  return findings.length > 0 ? EXIT.FOUND : EXIT.CLEAN;
}

function explain(error: unknown): string {
  const known = [UsageError, EnvironmentError, DataDirInUseError, DatabaseStartError];
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? (error as Error).message : String(error instanceof Error ? error.stack : error);
}

try {
  const wishes = readArguments();
  if (wishes) {
    const report = await check(loadEnvironment(), wishes);
    process.stdout.write(wishes.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatFsckReport(report));
    process.exitCode = exitCodeOf(report);
  } else {
    process.stdout.write(USAGE);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = EXIT.REFUSED;
}
