import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedDeletion } from '@family-watch/domain/accounts/contracts/account-deletion';
import type { CopyConnection } from '@family-watch/platform/database/table-copy';
import { backupTime, listBackups, UUID } from './backup-directory.js';
import { BackupUnusableError, syncDirectory } from './backup-file.js';

/** Contains random ids only, so that it is not encrypted: a backup must read the list of the backup before. */
const FILE = 'account-deletions.json';
const PRIVATE_FILE_MODE = 0o600;

/** Raw SQL: a backup reads its snapshot without an application. */
const SELECT_OPEN = `
  SELECT receipt_id AS "receiptId", user_id AS "userId", requested_at AS "requestedAt", erase_at AS "eraseAt"
    FROM userctx.account_deletion WHERE user_id IS NOT NULL`;
const SELECT_ACCOUNTS = `SELECT user_id AS "userId" FROM userctx.account WHERE user_id = ANY($1::uuid[])`;

/** A deletion in the snapshot that has not ended. */
export type OpenDeletion = Omit<ListedDeletion, 'endedAt' | 'isCancelled'>;

/**
 * Returns the list of deletions in the directory of the backups; empty if no backup has written one.
 * @throws BackupUnusableError if the file is damaged, because accounts would be restored that must stay erased
 */
export async function readDeletionList(root: string): Promise<ListedDeletion[]> {
  const path = join(root, FILE);
  if (!existsSync(path)) return [];
  const list = parseJson(await readFile(path, 'utf8'));
  if (Array.isArray(list) && list.every(isListedDeletion)) return list;
  throw new BackupUnusableError(
    `${path} is damaged. Move it away to go on without it; docs/operations.md says what follows`,
  );
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
 */
export async function updateDeletionList(root: string, connection: CopyConnection, snapshotAt: number): Promise<void> {
  const listed = await readDeletionList(root);
  const open = (await connection.query<OpenDeletion>(SELECT_OPEN)).rows;
  const userIds = listed.map(({ userId }) => userId);
  const accounts = (await connection.query<{ userId: string }>(SELECT_ACCOUNTS, [userIds])).rows;
  const [oldest] = await listBackups(root);
  const merged = mergeDeletions(listed, {
    open,
    accounts: new Set(accounts.map(({ userId }) => userId)),
    snapshotAt,
    oldestBackupAt: oldest === undefined ? snapshotAt : backupTime(oldest),
  });
  const path = join(root, FILE);
  await writeFile(`${path}.unfinished`, JSON.stringify(merged), { mode: PRIVATE_FILE_MODE, flush: true });
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
