import { JOIN_REQUEST_STATE } from '@family-watch/domain/families/contracts/join-request';
import type { JoinRequestState } from '@family-watch/domain/families/contracts/join-request';

const { PENDING, APPROVED, REJECTED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

/**
 * What can happen between a person and a family. `invited`: with a code of an invitation that the owner made after
 * rejecting this person, if that ever happened. `JOIN`: as a member by such a code, without being asked about.
 */
export type JoinRequestTransition =
  { type: 'APPLY' | 'JOIN'; invited: boolean } | { type: 'APPROVE' | 'REJECT' | 'CANCEL' | 'CLOSE' };

/**
 * Where the step leads from here, `null` when it is refused. `now` is undefined for a person who has never applied.
 * Who was rejected stays so until the owner invites.
 */
export function nextJoinRequestState(
  now: JoinRequestState | undefined,
  step: JoinRequestTransition,
): JoinRequestState | null {
  switch (step.type) {
    case 'APPLY':
      return now === REJECTED && !step.invited ? null : PENDING;
    case 'JOIN':
      return now === REJECTED && !step.invited ? null : APPROVED;
    case 'APPROVE':
      return now === PENDING ? APPROVED : null;
    case 'REJECT':
      return now === PENDING || now === REJECTED ? REJECTED : null;
    case 'CANCEL':
      return now === PENDING || now === CANCELLED ? CANCELLED : null;
    case 'CLOSE':
      return now === PENDING ? EXPIRED : (now ?? null);
  }
}
