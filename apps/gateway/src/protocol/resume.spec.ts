import { describe, expect, test } from '@jest/globals';
import { resolveResumePoint } from './resume.js';

const mailbox = { head: 20, pruned: 5, epoch: 7, acknowledged: 12 };

describe('resolveResumePoint', () => {
  test.each([
    ['a new session at the head', { ...mailbox, acknowledged: null }, {}, { from: 20, reset: false }],
    ['a known session after what it acknowledged', mailbox, {}, { from: 12, reset: false }],
    ['a client after its last', mailbox, { last: 15 }, { from: 15, reset: false }],
    ['a client that lost what it had acknowledged', mailbox, { last: 6 }, { from: 6, reset: false }],
    ['a client that has everything', mailbox, { last: 20, epoch: 7 }, { from: 20, reset: false }],
    ['the oldest kept for a last just at retention', mailbox, { last: 5 }, { from: 5, reset: false }],
    ['the oldest kept, told, for a last older than retention', mailbox, { last: 4 }, { from: 5, reset: true }],
    ['the oldest kept, told, for a last beyond the head', mailbox, { last: 21 }, { from: 5, reset: true }],
    ['the oldest kept, told, for a last of another epoch', mailbox, { last: 15, epoch: 6 }, { from: 5, reset: true }],
    [
      'the oldest kept, told, for a cursor older than retention',
      { ...mailbox, acknowledged: 2 },
      {},
      { from: 5, reset: true },
    ],
    [
      'a last of 0 in an empty mailbox',
      { head: 0, pruned: 0, epoch: 7, acknowledged: null },
      { last: 0 },
      { from: 0, reset: false },
    ],
  ])('starts %s', (_, state, client, expected) => {
    expect(resolveResumePoint(state, client)).toEqual(expected);
  });
});
