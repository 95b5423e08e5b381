import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/watch-notices';
import { isOpenFriendship, otherSide, nextFriendshipState, NO_FRIENDSHIP } from './friendship-state.js';
import type { FriendshipTransition, FriendshipState } from './friendship-state.js';

const nobody = { A: false, B: false };
const at = (state: FriendshipState['state'], blockedBy = nobody): FriendshipState => ({
  state,
  applicant: 'A',
  blockedBy,
});
const said = (next: FriendshipState | null) =>
  next && `${next.state} ${next.applicant}${next.blockedBy.A ? ' outA' : ''}${next.blockedBy.B ? ' outB' : ''}`;

const ACTIONS: Record<string, FriendshipTransition> = {
  'A’s watch applies': { type: 'APPLY', side: 'A', agreed: false },
  'A’s guardian applies': { type: 'APPLY', side: 'A', agreed: true },
  'B’s watch applies': { type: 'APPLY', side: 'B', agreed: false },
  'B’s guardian applies': { type: 'APPLY', side: 'B', agreed: true },
  'A agrees': { type: 'AGREE', side: 'A' },
  'B agrees': { type: 'AGREE', side: 'B' },
  'A rejects': { type: 'REJECT', side: 'A' },
  'B rejects': { type: 'REJECT', side: 'B' },
  'A ends': { type: 'END', side: 'A' },
  'B ends': { type: 'END', side: 'B' },
  'A blocks': { type: 'BLOCK', side: 'A' },
  'B blocks': { type: 'BLOCK', side: 'B' },
  'a child is gone': { type: 'CLOSE' },
  'A lets B in again': { type: 'UNBLOCK', side: 'A' },
  'B lets A in again': { type: 'UNBLOCK', side: 'B' },
};

/** A has applied. Every state by every action; `same` changes nothing, `-` is refused. */
const TABLE: Record<FriendshipState['state'], string[]> = {
  APPLIED: [
    'same',
    'CONFIRMED A',
    'same',
    'CONFIRMED B',
    'CONFIRMED A',
    '-',
    'REJECTED A outA',
    'REJECTED A outB',
    '-',
    '-',
    'REJECTED A outA',
    'REJECTED A outB',
    'ENDED A',
    'same',
    'same',
  ],
  CONFIRMED: [
    'same',
    'same',
    'same',
    'ACCEPTED A',
    'same',
    'ACCEPTED A',
    'REJECTED A outA',
    'REJECTED A outB',
    '-',
    '-',
    'REJECTED A outA',
    'REJECTED A outB',
    'ENDED A',
    'same',
    'same',
  ],
  ACCEPTED: [
    'same',
    'same',
    'same',
    'same',
    'same',
    'same',
    '-',
    '-',
    'ENDED A',
    'ENDED A',
    'ENDED A outA',
    'ENDED A outB',
    'ENDED A',
    'same',
    'same',
  ],
  REJECTED: [
    'APPLIED A',
    'CONFIRMED A',
    'APPLIED B',
    'CONFIRMED B',
    '-',
    '-',
    '-',
    '-',
    '-',
    '-',
    'REJECTED A outA',
    'REJECTED A outB',
    'same',
    'same',
    'same',
  ],
  ENDED: [
    'APPLIED A',
    'CONFIRMED A',
    'APPLIED B',
    'CONFIRMED B',
    '-',
    '-',
    '-',
    '-',
    '-',
    '-',
    'ENDED A outA',
    'ENDED A outB',
    'same',
    'same',
    'same',
  ],
};

describe('every state by every action', () => {
  const cells = Object.values(FRIEND_REQUEST_STATE).flatMap((state) =>
    Object.keys(ACTIONS).map((action, column) => [state, action, TABLE[state][column] ?? ''] as const),
  );

  test.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const action = ACTIONS[name];
    if (!action) throw new Error(name);
    const now = at(state);
    const next = nextFriendshipState(now, action);
    if (outcome === 'same') expect(next).toBe(now);
    else expect(said(next)).toBe(outcome === '-' ? null : outcome);
  });
});

describe('who was kept out', () => {
  test.each(['A', 'B'] as const)('by %s cannot apply, and only a guardian of that family begins anew', (side) => {
    const now = at('ENDED', { ...nobody, [side]: true });
    for (const agreed of [false, true]) {
      expect(nextFriendshipState(now, { type: 'APPLY', side: otherSide(side), agreed })).toBeNull();
    }
    expect(nextFriendshipState(now, { type: 'APPLY', side, agreed: false })).toBeNull();
    expect(nextFriendshipState(now, { type: 'APPLY', side, agreed: true })).toEqual({
      state: 'CONFIRMED',
      applicant: side,
      blockedBy: nobody,
    });
  });

  test.each(['A', 'B'] as const)(
    'by %s may apply again when that family says so, and not when the other does',
    (side) => {
      const now = at('REJECTED', { ...nobody, [side]: true });
      expect(nextFriendshipState(now, { type: 'UNBLOCK', side: otherSide(side) })).toBe(now);
      const again = nextFriendshipState(now, { type: 'UNBLOCK', side });
      expect(again).toEqual(at('REJECTED'));
      expect(again && nextFriendshipState(again, { type: 'APPLY', side: otherSide(side), agreed: true })).toMatchObject(
        {
          state: 'CONFIRMED',
        },
      );
    },
  );

  test('by both, stays out for both', () => {
    const now = at('REJECTED', { A: true, B: true });
    for (const side of ['A', 'B'] as const)
      expect(nextFriendshipState(now, { type: 'APPLY', side, agreed: true })).toBeNull();
  });
});

test('children are friends only after both families have agreed, and never while one keeps the other out', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.values(ACTIONS)), { maxLength: 30 }), (actions) => {
      let now = NO_FRIENDSHIP;
      let agreed = new Set<string>();
      for (const action of actions) {
        const next = nextFriendshipState(now, action);
        if (!next) continue;
        if ((action.type === 'APPLY' && action.agreed) || action.type === 'AGREE') agreed.add(action.side);
        if (!isOpenFriendship(next)) agreed = new Set();
        if (next.state === 'ACCEPTED') expect(agreed.size).toBe(2);
        if (isOpenFriendship(next)) expect(next.blockedBy).toEqual(nobody);
        now = next;
      }
    }),
  );
});
