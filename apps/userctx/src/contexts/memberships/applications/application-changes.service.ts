import { Injectable } from '@nestjs/common';
import { FAMILY_APPLICATION_STATE } from '@family-watch/domain/families/contracts/family-application';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { stepApplication } from './application-state.js';
import type { ApplicationStep } from './application-state.js';
import { ApplicationRepository } from './application.repository.js';
import type { FamilyApplication } from './application.repository.js';

const { PENDING } = FAMILY_APPLICATION_STATE;

/** Takes the steps of applications, in the caller's unit of work and with the family locked, and tells of them. */
@Injectable()
export class ApplicationChanges {
  constructor(
    private readonly applications: ApplicationRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** @returns the application after the step, or null when the step is refused. */
  async take(before: FamilyApplication, step: ApplicationStep): Promise<FamilyApplication | null> {
    const state = stepApplication(before.state, step);
    if (state === null) return null;
    if (state === before.state) return before;
    const after = { ...before, state, changedAt: Date.now() };
    await this.applications.save(after);
    if (before.state === PENDING) await this.tell(after);
    return after;
  }

  /** Keeps an application that begins now, for the first time or anew, and tells the owner. */
  async begin(application: FamilyApplication): Promise<void> {
    await this.applications.save(application);
    await this.tell(application);
  }

  /**
   * Somebody becomes a member by an invitation of this time (Unix milliseconds).
   * @returns false when the owner has rejected that person since: who was refused does not come in by an older code.
   */
  async join(familyId: string, userId: string, invitedAt: number): Promise<boolean> {
    const application = await this.applications.findOf(familyId, userId);
    if (!application) return true;
    const invited = invitedAt > application.changedAt;
    return (await this.take(application, { type: 'JOIN', invited })) !== null;
  }

  /** Nobody can answer any more. */
  async closeAll(familyId: string): Promise<void> {
    for (const application of await this.applications.pendingOf(familyId)) {
      await this.take(application, { type: 'CLOSE' });
    }
  }

  private async tell(application: FamilyApplication): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, changedAt: time } = application;
    const payload = { familyId, cid, did, applicationId, applicantUserId, state, time };
    await this.outbox.append({ name: 'userctx.family-application.changed', key: familyId, payload });
  }
}
