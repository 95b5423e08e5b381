import { Injectable } from '@nestjs/common';
import { JOIN_REQUEST_STATE } from '@family-watch/domain/families/contracts/join-request';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { nextJoinRequestState } from './join-request-state.js';
import type { JoinRequestTransition } from './join-request-state.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';

const { PENDING } = JOIN_REQUEST_STATE;

/** Takes the steps of applications, in the caller's unit of work and with the family locked, and tells of them. */
@Injectable()
export class JoinRequestTransitionsService {
  constructor(
    private readonly applications: JoinRequestRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** @returns the application after the step, or null when the step is refused. */
  async apply(before: JoinRequest, step: JoinRequestTransition): Promise<JoinRequest | null> {
    const state = nextJoinRequestState(before.state, step);
    if (state === null) return null;
    if (state === before.state) return before;
    const after = { ...before, state, changedAt: Date.now() };
    await this.applications.save(after);
    if (before.state === PENDING) await this.tell(after);
    return after;
  }

  /** Keeps an application that begins now, for the first time or anew, and tells the owner. */
  async create(application: JoinRequest): Promise<void> {
    await this.applications.save(application);
    await this.tell(application);
  }

  /**
   * Somebody becomes a member by an invitation of this time (Unix milliseconds).
   * @returns false when the owner has rejected that person since: who was refused does not come in by an older code.
   */
  async join(familyId: string, userId: string, invitedAt: number): Promise<boolean> {
    const application = await this.applications.findByApplicant(familyId, userId);
    if (!application) return true;
    const invited = invitedAt > application.changedAt;
    return (await this.apply(application, { type: 'JOIN', invited })) !== null;
  }

  /** Nobody can answer any more. */
  async closeAll(familyId: string): Promise<void> {
    for (const application of await this.applications.findPending(familyId)) {
      await this.apply(application, { type: 'CLOSE' });
    }
  }

  private async tell(application: JoinRequest): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, changedAt: time } = application;
    const payload = { familyId, cid, did, applicationId, applicantUserId, state, time };
    await this.outbox.append({ name: 'userctx.family-application.changed', key: familyId, payload });
  }
}
