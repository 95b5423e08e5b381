import { describe, expect, test } from '@jest/globals';
import { MailboxCursor } from './mailbox-cursor.js';

const EPOCH = 7;

describe('MailboxCursor', () => {
  test('accepts a first range with any sequence numbers, and ranges that follow it without a gap', () => {
    const cursor = new MailboxCursor();
    cursor.onHello({ epoch: EPOCH });
    expect(cursor.accept({ after: 4, through: 9 })).toBe('accepted');
    expect(cursor.accept({ after: 9, through: 10 })).toBe('accepted');
    expect(cursor.accept({})).toBe('accepted');
    expect(cursor.stored).toEqual({ last: 10, epoch: EPOCH });
  });

  test.each([
    ['later', 11, 12],
    ['earlier', 9, 12],
  ])('reports a gap and accepts nothing when a range begins %s than the cursor', (_, after, through) => {
    const cursor = new MailboxCursor({ last: 10, epoch: EPOCH });
    cursor.onHello({ epoch: EPOCH });
    expect(cursor.accept({ after, through })).toBe('gap');
    expect(cursor.stored).toEqual({ last: 10, epoch: EPOCH });
    expect(cursor.accept({ after: 10, through: 12 })).toBe('accepted');
  });

  test('reports a gap between the last range of a connection and the first range of the next connection', () => {
    const cursor = new MailboxCursor({ last: 10, epoch: EPOCH });
    expect(cursor.onHello({ epoch: EPOCH })).toBe('resumed');
    expect(cursor.accept({ after: 12, through: 13 })).toBe('gap');
  });

  test('has no stored cursor before the first range', () => {
    const cursor = new MailboxCursor();
    expect(cursor.onHello({ epoch: EPOCH })).toBe('resumed');
    expect(cursor.stored).toBeUndefined();
  });

  test.each([
    ['a change of the epoch', { epoch: EPOCH + 1 }],
    ['a reset of the mailbox', { epoch: EPOCH, reset: true as const }],
  ])('accepts any first range after %s', (_, hello) => {
    const cursor = new MailboxCursor({ last: 10, epoch: EPOCH });
    expect(cursor.onHello(hello)).toBe('restarted');
    expect(cursor.stored).toBeUndefined();
    expect(cursor.accept({ after: 0, through: 3 })).toBe('accepted');
    expect(cursor.stored).toEqual({ last: 3, epoch: hello.epoch });
  });
});
