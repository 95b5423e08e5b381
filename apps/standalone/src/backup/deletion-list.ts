import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCOUNT_DELETION_STATE } from '@family-watch/domain/accounts/contracts/account-deletion';
import type { ListedDeletion } from '@family-watch/domain/accounts/contracts/account-deletion';
import type { CopyConnection } from '@family-watch/platform/database/table-copy';
import { listBackups } from './backup-directory.js';
import { BackupUnusableError, syncDirectory } from './backup-file.js';

/** Contains random ids only, so that it is not encrypted: a backup must read the list of the backup before. */
const FILE = 'account-deletions.json';
const PRIVATE_FILE_MODE = 0o600;

/** Raw SQL: a backup reads its snapshot without an application. */
const SELECT_OPEN = `
  SELECT receipt_id AS "receiptId", user_id AS "userId", requested_at AS "requestedAt", erase_at AS "eraseAt"
    FROM userctx.account_deletion WHERE user_id IS NOT NULL`;
const SELECT_COMPLETED = `
  SELECT receipt_id AS "receiptId" FROM userctx.account_deletion
   WHERE receipt_id = ANY($1::uuid[]) AND state = '${ACCOUNT_DELETION_STATE.COMPLETED}'`;

/** A deletion in the snapshot that has not ended. */
export type OpenDeletion = Omit<ListedDeletion, 'endedAt' | 'isCancelled'>;

/**
 * Returns the list of deletions in the directory of the backups; empty if no backup has written one.
 * @throws BackupUnusableError if the file is damaged, because accounts would be restored that must stay erased
 */
export async function readDeletionList(root: string): Promise<ListedDeletion[]> {
  const path = join(root, FILE);
  if (!existsSync(path)) return [];
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ListedDeletion[];
  } catch {
    throw new BackupUnusableError(
      `${path} is damaged. Move it away to go on without it; docs/operations.md says what follows`,
    );
  }
}

/**
 * Adds the deletions of the snapshot to the list. A deletion waits for days before it is carried out, so that a daily
 * backup sees it, and the list needs no id of an account after its erasure from the database.
 */
export async function updateDeletionList(root: string, connection: CopyConnection, snapshotAt: number): Promise<void> {
  const listed = await readDeletionList(root);
  const open = (await connection.query<OpenDeletion>(SELECT_OPEN)).rows;
  const ids = listed.map(({ receiptId }) => receiptId);
  const completed = (await connection.query<{ receiptId: string }>(SELECT_COMPLETED, [ids])).rows;
  const [oldest] = await listBackups(root);
  const merged = mergeDeletions(listed, {
    open,
    completed: new Set(completed.map(({ receiptId }) => receiptId)),
    snapshotAt,
    oldestBackupAt: oldest === undefined ? snapshotAt : timeOf(oldest),
  });
  const path = join(root, FILE);
  await writeFile(`${path}.unfinished`, JSON.stringify(merged), { mode: PRIVATE_FILE_MODE, flush: true });
  await rename(`${path}.unfinished`, path);
  await syncDirectory(root);
}

/**
 * Returns the new list. A listed deletion that the database does not have was cancelled. Deletions that ended before the
 * oldest backup are omitted: no backup contains their account. Times are Unix milliseconds.
 */
export function mergeDeletions(
  listed: readonly ListedDeletion[],
  snapshot: {
    open: readonly OpenDeletion[];
    completed: ReadonlySet<string>;
    snapshotAt: number;
    oldestBackupAt: number;
  },
): ListedDeletion[] {
  const { open, completed, snapshotAt, oldestBackupAt } = snapshot;
  const openIds = new Set(open.map(({ receiptId }) => receiptId));
  const ended = listed
    .filter(({ receiptId }) => !openIds.has(receiptId))
    .map((each) =>
      each.endedAt === null ? { ...each, endedAt: snapshotAt, isCancelled: !completed.has(each.receiptId) } : each,
    );
  return [
    ...ended.filter(({ endedAt }) => (endedAt ?? snapshotAt) >= oldestBackupAt),
    ...open.map((each) => ({ ...each, endedAt: null, isCancelled: false })),
  ];
}

/** Returns the time in the name of a backup, Unix milliseconds. */
function timeOf(backup: string): number {
  const [date = '', time = ''] = backup.split('T');
  return Date.parse(`${date}T${time.replace('-', ':').replace('-', ':').replace('-', '.')}`);
}
