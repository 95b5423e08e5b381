import { describe, expect, test } from '@jest/globals';
import { resolveResumePoint } from './resume.js';

const mailbox = { head: 20, deletedThrough: 5, epoch: 7, acknowledged: 12 };

describe('resolveResumePoint', () => {
  test.each([
    ['at the head for a new session', { ...mailbox, acknowledged: null }, {}, { from: 20, reset: false }],
    ['after the acknowledgement of an existing session', mailbox, {}, { from: 12, reset: false }],
    ['after the `last` of a client', mailbox, { last: 15 }, { from: 15, reset: false }],
    ['after a `last` below the acknowledgement', mailbox, { last: 6 }, { from: 6, reset: false }],
    [
      'at the head for a client that has received every message',
      mailbox,
      { last: 20, epoch: 7 },
      { from: 20, reset: false },
    ],
    ['after a `last` exactly at the retention limit', mailbox, { last: 5 }, { from: 5, reset: false }],
    ['with a reset for a `last` older than retention', mailbox, { last: 4 }, { from: 5, reset: true }],
    ['with a reset for a `last` beyond the head', mailbox, { last: 21 }, { from: 5, reset: true }],
    ['with a reset for a `last` of another epoch', mailbox, { last: 15, epoch: 6 }, { from: 5, reset: true }],
    ['with a reset for a `last` of the epoch 0', mailbox, { last: 15, epoch: 0 }, { from: 5, reset: true }],
    ['with a reset for a cursor older than retention', { ...mailbox, acknowledged: 2 }, {}, { from: 5, reset: true }],
    [
      'at the beginning of an empty mailbox for a `last` of 0',
      { head: 0, deletedThrough: 0, epoch: 7, acknowledged: null },
      { last: 0 },
      { from: 0, reset: false },
    ],
  ])('the delivery starts %s', (_, state, client, expected) => {
    expect(resolveResumePoint(state, client)).toEqual(expected);
  });
});
