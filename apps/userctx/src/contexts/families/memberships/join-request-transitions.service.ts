import { Injectable } from '@nestjs/common';
import { JOIN_REQUEST_STATE } from '@family-watch/domain/families/contracts/family';
import type { JoinRequestState } from '@family-watch/domain/families/contracts/family';
import { UserctxOutbox } from '../../../infrastructure/userctx-infrastructure.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';

const { PENDING, APPROVED, REJECTED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

/**
 * An action on a join request. `hasNewInvitation`: the person's code belongs to an invitation that the owner created
 * after the last rejection of the person. `JOIN`: the person becomes a member with the code of an invitation, without a
 * join request.
 */
export type JoinRequestTransition =
  { type: 'APPLY' | 'JOIN'; hasNewInvitation: boolean } | { type: 'APPROVE' | 'REJECT' | 'CANCEL' | 'CLOSE' };

/**
 * Returns the next state, or `null` if the transition is not allowed. `current` is undefined for a person who has never
 * requested to join. A rejected person stays rejected until the owner invites that person again.
 */
export function nextJoinRequestState(
  current: JoinRequestState | undefined,
  transition: JoinRequestTransition,
): JoinRequestState | null {
  switch (transition.type) {
    case 'APPLY':
      return current === REJECTED && !transition.hasNewInvitation ? null : PENDING;
    case 'JOIN':
      return current === REJECTED && !transition.hasNewInvitation ? null : APPROVED;
    case 'APPROVE':
      return current === PENDING ? APPROVED : null;
    case 'REJECT':
      return current === PENDING || current === REJECTED ? REJECTED : null;
    case 'CANCEL':
      return current === PENDING || current === CANCELLED ? CANCELLED : null;
    case 'CLOSE':
      return current === PENDING ? EXPIRED : (current ?? null);
  }
}

/**
 * Applies transitions of join requests and publishes them. Must be called in a transaction that has locked the family.
 */
@Injectable()
export class JoinRequestTransitionsService {
  constructor(
    private readonly joinRequests: JoinRequestRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** @returns the join request after the transition, or null if the transition is not allowed. */
  async apply(before: JoinRequest, transition: JoinRequestTransition): Promise<JoinRequest | null> {
    const state = nextJoinRequestState(before.state, transition);
    if (state === null) return null;
    if (state === before.state) return before;
    const after = { ...before, state, changedAt: Date.now() };
    await this.joinRequests.save(after);
    if (before.state === PENDING) await this.publishChange(after);
    return after;
  }

  /** Stores a new or renewed join request and notifies the owner. */
  async create(joinRequest: JoinRequest): Promise<void> {
    await this.joinRequests.save(joinRequest);
    await this.publishChange(joinRequest);
  }

  /**
   * Records that a person becomes a member with an invitation created at `invitedAt` (Unix milliseconds).
   * @returns false if the owner rejected the person after creating the invitation, because a rejection invalidates
   * older invitations.
   */
  async join(familyId: string, userId: string, invitedAt: number): Promise<boolean> {
    const joinRequest = await this.joinRequests.findByApplicant(familyId, userId);
    if (!joinRequest) return true;
    const hasNewInvitation = invitedAt > joinRequest.changedAt;
    return (await this.apply(joinRequest, { type: 'JOIN', hasNewInvitation })) !== null;
  }

  /** Closes all pending join requests of the family. */
  async closeAll(familyId: string): Promise<void> {
    for (const joinRequest of await this.joinRequests.findPending(familyId)) {
      await this.apply(joinRequest, { type: 'CLOSE' });
    }
  }

  private async publishChange(joinRequest: JoinRequest): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, changedAt: time } = joinRequest;
    const payload = { familyId, cid, did, applicationId, applicantUserId, state, time };
    await this.outbox.append({ name: 'userctx.family-application.changed', key: familyId, payload });
  }
}
