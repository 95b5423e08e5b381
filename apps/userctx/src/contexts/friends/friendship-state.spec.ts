import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/payloads';
import { isOpenFriendship, otherSide, nextFriendshipState, NO_FRIENDSHIP } from './friendship-state.js';
import type { FriendshipTransition, FriendshipState } from './friendship-state.js';

const NO_BLOCKS = { A: false, B: false };
const stateWith = (state: FriendshipState['state'], blockedBy = NO_BLOCKS): FriendshipState => ({
  state,
  applicant: 'A',
  blockedBy,
});
const formatState = (next: FriendshipState | null) =>
  next &&
  `${next.state} ${next.applicant}${next.blockedBy.A ? ' blockedByA' : ''}${next.blockedBy.B ? ' blockedByB' : ''}`;

const ACTIONS: Record<string, FriendshipTransition> = {
  'A’s watch requests the friendship': { type: 'APPLY', side: 'A', includesConsent: false },
  'A’s guardian requests the friendship': { type: 'APPLY', side: 'A', includesConsent: true },
  'B’s watch requests the friendship': { type: 'APPLY', side: 'B', includesConsent: false },
  'B’s guardian requests the friendship': { type: 'APPLY', side: 'B', includesConsent: true },
  'A agrees to the request': { type: 'AGREE', side: 'A' },
  'B agrees to the request': { type: 'AGREE', side: 'B' },
  'A rejects the request': { type: 'REJECT', side: 'A' },
  'B rejects the request': { type: 'REJECT', side: 'B' },
  'A ends the friendship': { type: 'END', side: 'A' },
  'B ends the friendship': { type: 'END', side: 'B' },
  'A blocks B': { type: 'BLOCK', side: 'A' },
  'B blocks A': { type: 'BLOCK', side: 'B' },
  'a child is deleted': { type: 'CLOSE' },
  'A unblocks B': { type: 'UNBLOCK', side: 'A' },
  'B unblocks A': { type: 'UNBLOCK', side: 'B' },
};

/**
 * Expected result of each action when A has requested the friendship, in the order of ACTIONS. `same` means that the
 * friendship is unchanged, `-` that the action is not allowed.
 */
const EXPECTED_RESULTS: Record<FriendshipState['state'], string[]> = {
  APPLIED: [
    'same',
    'CONFIRMED A',
    'same',
    'CONFIRMED B',
    'CONFIRMED A',
    '-',
    'REJECTED A blockedByA',
    'REJECTED A blockedByB',
    '-',
    '-',
    'REJECTED A blockedByA',
    'REJECTED A blockedByB',
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
    'REJECTED A blockedByA',
    'REJECTED A blockedByB',
    '-',
    '-',
    'REJECTED A blockedByA',
    'REJECTED A blockedByB',
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
    'ENDED A blockedByA',
    'ENDED A blockedByB',
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
    'REJECTED A blockedByA',
    'REJECTED A blockedByB',
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
    'ENDED A blockedByA',
    'ENDED A blockedByB',
    'same',
    'same',
    'same',
  ],
};

describe('nextFriendshipState', () => {
  const cells = Object.values(FRIEND_REQUEST_STATE).flatMap((state) =>
    Object.keys(ACTIONS).map((action, column) => [state, action, EXPECTED_RESULTS[state][column] ?? ''] as const),
  );

  test.each(cells)(
    'in state %s, when %s, the result is “%s” (same: unchanged, -: not allowed)',
    (state, name, outcome) => {
      const action = ACTIONS[name];
      if (!action) throw new Error(name);
      const now = stateWith(state);
      const next = nextFriendshipState(now, action);
      if (outcome === 'same') expect(next).toBe(now);
      else expect(formatState(next)).toBe(outcome === '-' ? null : outcome);
    },
  );
});

describe('nextFriendshipState for a blocked child', () => {
  test.each(['A', 'B'] as const)(
    'after family %s blocks the other child, allows only a guardian of that family to request the friendship',
    (side) => {
      const now = stateWith('ENDED', { ...NO_BLOCKS, [side]: true });
      for (const includesConsent of [false, true]) {
        expect(nextFriendshipState(now, { type: 'APPLY', side: otherSide(side), includesConsent })).toBeNull();
      }
      expect(nextFriendshipState(now, { type: 'APPLY', side, includesConsent: false })).toBeNull();
      expect(nextFriendshipState(now, { type: 'APPLY', side, includesConsent: true })).toEqual({
        state: 'CONFIRMED',
        applicant: side,
        blockedBy: NO_BLOCKS,
      });
    },
  );

  test.each(['A', 'B'] as const)(
    'after family %s blocks the other child, allows requests again only once the same family unblocks the child',
    (side) => {
      const now = stateWith('REJECTED', { ...NO_BLOCKS, [side]: true });
      expect(nextFriendshipState(now, { type: 'UNBLOCK', side: otherSide(side) })).toBe(now);
      const unblocked = nextFriendshipState(now, { type: 'UNBLOCK', side });
      expect(unblocked).toEqual(stateWith('REJECTED'));
      expect(
        unblocked && nextFriendshipState(unblocked, { type: 'APPLY', side: otherSide(side), includesConsent: true }),
      ).toMatchObject({
        state: 'CONFIRMED',
      });
    },
  );

  test('allows no request while both families block each other’s child', () => {
    const now = stateWith('REJECTED', { A: true, B: true });
    for (const side of ['A', 'B'] as const)
      expect(nextFriendshipState(now, { type: 'APPLY', side, includesConsent: true })).toBeNull();
  });
});

test('children are friends only after both families agreed, and never while one family blocks the other child', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.values(ACTIONS)), { maxLength: 30 }), (actions) => {
      let now = NO_FRIENDSHIP;
      let agreed = new Set<string>();
      for (const action of actions) {
        const next = nextFriendshipState(now, action);
        if (!next) continue;
        if ((action.type === 'APPLY' && action.includesConsent) || action.type === 'AGREE') agreed.add(action.side);
        if (!isOpenFriendship(next)) agreed = new Set();
        if (next.state === 'ACCEPTED') expect(agreed.size).toBe(2);
        if (isOpenFriendship(next)) expect(next.blockedBy).toEqual(NO_BLOCKS);
        now = next;
      }
    }),
  );
});
