import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { BackupUnusableError } from './backup-file.js';
import { mergeDeletions, readDeletionList } from './deletion-list.js';

const directory = mkdtempSync(join(tmpdir(), 'deletion-list-'));
afterAll(() => rmSync(directory, { recursive: true }));

const deletion = (id: string) => ({ receiptId: id, userId: `user-${id}`, requestedAt: 1, eraseAt: 2 });
const listed = (id: string, endedAt: number | null = null, isCancelled = false) => ({
  ...deletion(id),
  endedAt,
  isCancelled,
});

describe('mergeDeletions', () => {
  test('a listed deletion that is not open is cancelled if its account exists, otherwise completed', () => {
    const merged = mergeDeletions([listed('completed'), listed('cancelled'), listed('waiting')], {
      open: [deletion('waiting'), deletion('new')],
      accounts: new Set(['user-cancelled', 'user-waiting', 'user-new']),
      snapshotAt: 50,
      oldestBackupAt: 10,
    });
    expect(merged).toEqual([listed('completed', 50), listed('cancelled', 50, true), listed('waiting'), listed('new')]);
  });

  test('a deletion that ended stays until it ended before the oldest backup', () => {
    const snapshot = { open: [], accounts: new Set<string>(), snapshotAt: 50 };
    const ended = [listed('first', 20), listed('second', 30, true)];
    expect(mergeDeletions(ended, { ...snapshot, oldestBackupAt: 20 })).toEqual(ended);
    expect(mergeDeletions(ended, { ...snapshot, oldestBackupAt: 21 })).toEqual([ended[1]]);
  });
});

describe('readDeletionList', () => {
  const file = join(directory, 'account-deletions.json');
  const valid = { ...listed(randomUUID()), userId: randomUUID() };

  test('returns the deletions of the file', async () => {
    writeFileSync(file, JSON.stringify([valid, { ...valid, endedAt: 20, isCancelled: true }]));
    expect(await readDeletionList(directory)).toEqual([valid, { ...valid, endedAt: 20, isCancelled: true }]);
  });

  test.each([
    ['[', 'no JSON'],
    ['{}', 'an object'],
    [JSON.stringify([null]), 'null in the list'],
    [JSON.stringify([{ ...valid, receiptId: 'first' }]), 'a receipt that is not a UUID'],
    [JSON.stringify([{ ...valid, eraseAt: '2' }]), 'a time that is a string'],
    [JSON.stringify([{ ...valid, endedAt: undefined }]), 'a missing field'],
    [JSON.stringify([{ ...valid, isCancelled: 0 }]), 'a number instead of a Boolean'],
  ])('rejects a damaged file: %s (%s)', async (text) => {
    writeFileSync(file, text);
    await expect(readDeletionList(directory)).rejects.toThrow(BackupUnusableError);
  });
});
