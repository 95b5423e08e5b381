import { describe, expect, it } from '@jest/globals';
import { MailboxCursor } from './mailbox-cursor.js';

const EPOCH = 7;

describe('MailboxCursor', () => {
  it('follows ranges that join, whatever numbers they hold', () => {
    const position = new MailboxCursor();
    position.onHello({ epoch: EPOCH });
    expect(position.accept({ after: 4, through: 9 })).toBe('taken');
    expect(position.accept({ after: 9, through: 10 })).toBe('taken');
    expect(position.accept({})).toBe('taken');
    expect(position.stored).toEqual({ last: 10, epoch: EPOCH });
  });

  it.each([
    ['later', 11, 12],
    ['earlier', 9, 12],
  ])('takes nothing of a range that begins %s', (_, after, through) => {
    const position = new MailboxCursor({ last: 10, epoch: EPOCH });
    position.onHello({ epoch: EPOCH });
    expect(position.accept({ after, through })).toBe('gap');
    expect(position.stored).toEqual({ last: 10, epoch: EPOCH });
    expect(position.accept({ after: 10, through: 12 })).toBe('taken');
  });

  it('notices a gap between two connections', () => {
    const position = new MailboxCursor({ last: 10, epoch: EPOCH });
    expect(position.onHello({ epoch: EPOCH })).toBe('resumed');
    expect(position.accept({ after: 12, through: 13 })).toBe('gap');
  });

  it('knows no position before the first range, so that the service decides', () => {
    const position = new MailboxCursor();
    expect(position.onHello({ epoch: EPOCH })).toBe('resumed');
    expect(position.stored).toBeUndefined();
  });

  it.each([
    ['another epoch', { epoch: EPOCH + 1 }],
    ['a reset', { epoch: EPOCH, reset: true as const }],
  ])('begins anew after %s', (_, hello) => {
    const position = new MailboxCursor({ last: 10, epoch: EPOCH });
    expect(position.onHello(hello)).toBe('restarted');
    expect(position.stored).toBeUndefined();
    expect(position.accept({ after: 0, through: 3 })).toBe('taken');
    expect(position.stored).toEqual({ last: 3, epoch: hello.epoch });
  });
});
