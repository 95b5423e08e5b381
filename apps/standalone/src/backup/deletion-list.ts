import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedDeletion } from '@family-watch/domain/privacy/contracts/account-deletion';
import type { CopyConnection } from '@family-watch/platform/database/table-copy';
import { authenticate, isAuthentic } from './authenticity.js';
import { backupTime, containsAuthenticated, listBackups, UUID } from './backup-directory.js';
import { BackupUnusableError, PRIVATE_FILE_MODE, syncDirectory } from './backup-file.js';

/** Contains random ids only, so that it is not encrypted: a backup must read the list of the backup before. */
const FILE = 'account-deletions.json';

/** The list as it is stored. Builds without authentication have stored only the array. */
interface StoredList {
  /** Time of the newest snapshot that the list contains, Unix milliseconds, and the deletions, as JSON. */
  content: string;
  /** A code per key of the service that proves who has written the content. */
  macs: string[];
}

const SELECT_OPEN = `
  SELECT receipt_id AS "receiptId", user_id AS "userId", requested_at AS "requestedAt", erase_at AS "eraseAt"
    FROM userctx.account_deletion WHERE user_id IS NOT NULL`;
const SELECT_ACCOUNTS = `SELECT user_id AS "userId" FROM userctx.account WHERE user_id = ANY($1::uuid[])`;

/** A deletion in the snapshot that has not ended. */
export type OpenDeletion = Omit<ListedDeletion, 'endedAt' | 'isCancelled'>;

/**
 * Returns the list of deletions in the directory of the backups; empty if no backup has written one.
 *
 * @param keys - keys of which one must have authenticated the list; if there are none, its author is not checked
 * @param options.since - time of the snapshot of a backup, which the list must contain if its author is checked
 * @throws BackupUnusableError if the file is damaged, because accounts would be restored that must stay erased
 */
export async function readDeletionList(
  root: string,
  keys: readonly Buffer[] = [],
  { since }: { since?: number } = {},
): Promise<ListedDeletion[]> {
  const path = join(root, FILE);
  const isChecked = keys.length > 0;
  if (!existsSync(path)) {
    if (isChecked && since !== undefined) throw unusable(path, 'is missing, but belongs to the backup');
    return [];
  }
  const stored = parseJson(await readFile(path, 'utf8'));
  const { content, macs } = (stored ?? {}) as Partial<StoredList>;
  const isEarlierFormat = Array.isArray(stored);
  const { snapshotAt, deletions } = isEarlierFormat
    ? { snapshotAt: 0, deletions: stored as unknown }
    : ((parseJson(content ?? '') ?? {}) as { snapshotAt?: number; deletions?: unknown });
  if (!Number.isSafeInteger(snapshotAt) || !Array.isArray(deletions) || !deletions.every(isListedDeletion))
    throw unusable(path, 'is damaged');
  if (!isChecked) return deletions;
  // The first backup that is authenticated adopts the list of an earlier build.
  if (isEarlierFormat && since === undefined && !(await containsAuthenticated(root))) return deletions;
  if (!isAuthentic(keys, authenticatedText(content ?? ''), macs ?? []))
    throw unusable(path, 'was not written with the keys of this service, or was changed');
  if (since !== undefined && Number(snapshotAt) < since) throw unusable(path, 'is older than the backup');
  return deletions;
}

function unusable(path: string, reason: string): BackupUnusableError {
  return new BackupUnusableError(`${path} ${reason}. docs/operations.md says how to go on without it`);
}

/** The name separates the list from the manifests, which the same key authenticates. */
function authenticatedText(content: string): string {
  return `${FILE}\n${content}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isListedDeletion(value: unknown): value is ListedDeletion {
  const { receiptId, userId, requestedAt, eraseAt, endedAt, isCancelled } = (value ?? {}) as Partial<ListedDeletion>;
  return (
    [receiptId, userId].every((id) => typeof id === 'string' && UUID.test(id)) &&
    [requestedAt, eraseAt, endedAt ?? 0].every(Number.isSafeInteger) &&
    endedAt !== undefined &&
    typeof isCancelled === 'boolean'
  );
}

/**
 * Adds the deletions of the snapshot to the list. A deletion waits for days before it is carried out, so that a daily
 * backup sees it, and the list needs no id of an account after its erasure from the database.
 *
 * @param keys - keys of the service, which authenticate the list
 */
export async function updateDeletionList(
  root: string,
  connection: CopyConnection,
  snapshotAt: number,
  keys: readonly Buffer[],
): Promise<void> {
  const listed = await readDeletionList(root, keys);
  // A build whose schema is older has no deletions.
  const { rowCount } = await connection.query(`SELECT WHERE to_regclass('userctx.account_deletion') IS NOT NULL`);
  const open = rowCount === 0 ? [] : (await connection.query<OpenDeletion>(SELECT_OPEN)).rows;
  const userIds = listed.map(({ userId }) => userId);
  const accounts = (await connection.query<{ userId: string }>(SELECT_ACCOUNTS, [userIds])).rows;
  const [oldest] = await listBackups(root);
  const deletions = mergeDeletions(listed, {
    open,
    accounts: new Set(accounts.map(({ userId }) => userId)),
    snapshotAt,
    oldestBackupAt: oldest === undefined ? snapshotAt : backupTime(oldest),
  });
  const content = JSON.stringify({ snapshotAt, deletions });
  const stored: StoredList = { content, macs: authenticate(keys, authenticatedText(content)) };
  const path = join(root, FILE);
  await writeFile(`${path}.unfinished`, JSON.stringify(stored), { mode: PRIVATE_FILE_MODE, flush: true });
  await rename(`${path}.unfinished`, path);
  await syncDirectory(root);
}

/**
 * Returns the new list. A listed deletion that is not open was cancelled if its account exists; otherwise it was
 * completed, or a backup from before the account was restored. Deletions that ended before the oldest backup are omitted:
 * no backup contains their account. Times are Unix milliseconds.
 */
export function mergeDeletions(
  listed: readonly ListedDeletion[],
  snapshot: {
    open: readonly OpenDeletion[];
    /** Ids of the users among `listed` who have an account. */
    accounts: ReadonlySet<string>;
    snapshotAt: number;
    oldestBackupAt: number;
  },
): ListedDeletion[] {
  const { open, accounts, snapshotAt, oldestBackupAt } = snapshot;
  const openIds = new Set(open.map(({ receiptId }) => receiptId));
  const ended = listed
    .filter(({ receiptId }) => !openIds.has(receiptId))
    .map((each) =>
      each.endedAt === null ? { ...each, endedAt: snapshotAt, isCancelled: accounts.has(each.userId) } : each,
    );
  return [
    ...ended.filter(({ endedAt }) => (endedAt ?? snapshotAt) >= oldestBackupAt),
    ...open.map((each) => ({ ...each, endedAt: null, isCancelled: false })),
  ];
}
