import { describe, expect, test } from '@jest/globals';
import { mergeDeletions } from './deletion-list.js';

const deletion = (id: string) => ({ receiptId: id, userId: `user-${id}`, requestedAt: 1, eraseAt: 2 });
const listed = (id: string, endedAt: number | null = null, isCancelled = false) => ({
  ...deletion(id),
  endedAt,
  isCancelled,
});

describe('mergeDeletions', () => {
  test('a listed deletion that the snapshot does not have is cancelled unless it was completed', () => {
    const merged = mergeDeletions([listed('completed'), listed('cancelled'), listed('waiting')], {
      open: [deletion('waiting'), deletion('new')],
      completed: new Set(['completed']),
      snapshotAt: 50,
      oldestBackupAt: 10,
    });
    expect(merged).toEqual([listed('completed', 50), listed('cancelled', 50, true), listed('waiting'), listed('new')]);
  });

  test('a deletion that ended stays until it ended before the oldest backup', () => {
    const snapshot = { open: [], completed: new Set<string>(), snapshotAt: 50 };
    const ended = [listed('first', 20), listed('second', 30, true)];
    expect(mergeDeletions(ended, { ...snapshot, oldestBackupAt: 20 })).toEqual(ended);
    expect(mergeDeletions(ended, { ...snapshot, oldestBackupAt: 21 })).toEqual([ended[1]]);
  });
});
