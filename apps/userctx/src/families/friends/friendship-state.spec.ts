import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/payloads';
import {
  isOpenFriendship,
  otherSide,
  nextFriendshipState,
  NO_FRIENDSHIP,
  type FriendshipTransition,
  type FriendshipState,
} from './friendship-state.js';

const NO_BLOCKS = { A: false, B: false };
const stateWith = (state: FriendshipState['state'], blockedBy = NO_BLOCKS): FriendshipState => ({
  state,
  applicant: 'A',
  blockedBy,
});
const formatState = (next: FriendshipState | null) =>
  next &&
  `${next.state} ${next.applicant}${next.blockedBy.A ? ' blockedByA' : ''}${next.blockedBy.B ? ' blockedByB' : ''}`;

/**
 * Transition of each action, and its results in the states APPLIED, CONFIRMED, ACCEPTED, REJECTED and ENDED of a
 * friendship that A has requested. `same` means that the friendship is unchanged, `-` that the action is not allowed.
 */
const ACTIONS: Record<string, [FriendshipTransition, string]> = {
  'A’s watch requests the friendship': [
    { type: 'APPLY', side: 'A', includesConsent: false },
    'same | same | same | APPLIED A | APPLIED A',
  ],
  'A’s guardian requests the friendship': [
    { type: 'APPLY', side: 'A', includesConsent: true },
    'CONFIRMED A | same | same | CONFIRMED A | CONFIRMED A',
  ],
  'B’s watch requests the friendship': [
    { type: 'APPLY', side: 'B', includesConsent: false },
    'same | same | same | APPLIED B | APPLIED B',
  ],
  'B’s guardian requests the friendship': [
    { type: 'APPLY', side: 'B', includesConsent: true },
    'CONFIRMED B | ACCEPTED A | same | CONFIRMED B | CONFIRMED B',
  ],
  'A agrees to the request': [{ type: 'AGREE', side: 'A' }, 'CONFIRMED A | same | same | - | -'],
  'B agrees to the request': [{ type: 'AGREE', side: 'B' }, '- | ACCEPTED A | same | - | -'],
  'A rejects the request': [{ type: 'REJECT', side: 'A' }, 'REJECTED A blockedByA | REJECTED A blockedByA | - | - | -'],
  'B rejects the request': [{ type: 'REJECT', side: 'B' }, 'REJECTED A blockedByB | REJECTED A blockedByB | - | - | -'],
  'A ends the friendship': [{ type: 'END', side: 'A' }, '- | - | ENDED A | - | -'],
  'B ends the friendship': [{ type: 'END', side: 'B' }, '- | - | ENDED A | - | -'],
  'A blocks B': [
    { type: 'BLOCK', side: 'A' },
    'REJECTED A blockedByA | REJECTED A blockedByA | ENDED A blockedByA | REJECTED A blockedByA | ENDED A blockedByA',
  ],
  'B blocks A': [
    { type: 'BLOCK', side: 'B' },
    'REJECTED A blockedByB | REJECTED A blockedByB | ENDED A blockedByB | REJECTED A blockedByB | ENDED A blockedByB',
  ],
  'a child is deleted': [{ type: 'CLOSE' }, 'ENDED A | ENDED A | ENDED A | same | same'],
  'A unblocks B': [{ type: 'UNBLOCK', side: 'A' }, 'same | same | same | same | same'],
  'B unblocks A': [{ type: 'UNBLOCK', side: 'B' }, 'same | same | same | same | same'],
};
const STATES: FriendshipState['state'][] = ['APPLIED', 'CONFIRMED', 'ACCEPTED', 'REJECTED', 'ENDED'];
const TRANSITIONS = Object.values(ACTIONS).map(([transition]) => transition);

describe('nextFriendshipState', () => {
  const cells = Object.entries(ACTIONS).flatMap(([name, [transition, results]]) =>
    results.split(' | ').map((result, column) => [STATES[column] ?? 'ENDED', name, result, transition] as const),
  );

  test.each(cells)('in state %s, when %s, the result is “%s” (same: unchanged, -: not allowed)', (...cell) => {
    const [state, , outcome, transition] = cell;
    const now = stateWith(state);
    const next = nextFriendshipState(now, transition);
    if (outcome === 'same') expect(next).toBe(now);
    else expect(formatState(next)).toBe(outcome === '-' ? null : outcome);
  });

  test('has a result in this table for each state', () => {
    expect(Object.values(FRIEND_REQUEST_STATE).toSorted()).toEqual(STATES.toSorted());
    expect(cells).toHaveLength(STATES.length * TRANSITIONS.length);
  });
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
    fc.property(fc.array(fc.constantFrom(...TRANSITIONS), { maxLength: 30 }), (actions) => {
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
