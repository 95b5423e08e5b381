import { Injectable } from '@nestjs/common';
import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ERASED_PRINCIPAL, parsePrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { RevocationService } from '../../accounts/sessions/revocation.service.js';
import { FamilySuccessionService } from '../../families/memberships/family-succession.service.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { UserctxAccountErasure } from './userctx-account-erasure.service.js';

/** Erases a person in userctx and publishes the erasure, in the caller's transaction. */
@Injectable()
export class PersonErasureService {
  constructor(
    private readonly outbox: UserctxOutbox,
    private readonly revocations: RevocationService,
    private readonly succession: FamilySuccessionService,
    private readonly data: PersonalDataRepository,
    private readonly erasure: UserctxAccountErasure,
  ) {}

  /**
   * Ends all access of the person, leaves or ends the person's families and deletes the account.
   * @param time Unix milliseconds
   */
  async erase(userId: string, receiptId: string, time: number): Promise<ErasureSubjects> {
    // Whoever adds the person to a family locks the account first, and finds no account afterwards.
    await this.data.lockAccount(userId);
    const { families, cids, dids } = await this.succession.leaveAll(userId);
    const subjects = { userId, familyIds: families, cids, dids };
    const counts = await this.data.count(subjects);
    // A concurrent refresh may sign a token after this revocation.
    await this.revocations.record([{ principal: `user:${userId}` }], time + ACCESS_TOKEN_FORMAT.lifetime * 1_000);
    await this.data.deleteAccount(userId);
    await this.erasure.begin(receiptId, subjects, time, counts);
    // Appended before the events of the erased children, so that the apps count what they erase.
    await this.publish(receiptId, subjects, time);
    await this.succession.eraseFamilies(families);
    return subjects;
  }

  /**
   * Begins the erasure in all apps again, and publishes the end of the families and children again. An app that did not
   * run for longer than the event bus keeps events has lost them, and would wait for them without end. All these families
   * and children are erased, so that it does not matter which child belonged to which family.
   * @param time when the account was erased, Unix milliseconds
   */
  async repeat(receiptId: string, subjects: ErasureSubjects, time: number): Promise<void> {
    await this.erasure.begin(receiptId, subjects, time);
    await this.publish(receiptId, subjects, time);
    for (const familyId of subjects.familyIds) {
      await this.outbox.appendForFamily('userctx.family.changed', erasedFamily(familyId));
      for (const cid of subjects.cids) await this.outbox.appendForFamily('userctx.child.erased', { familyId, cid });
    }
  }

  private async publish(receiptId: string, subjects: ErasureSubjects, time: number): Promise<void> {
    const key = subjects.familyIds[0] ?? `user:${subjects.userId}`;
    await this.outbox.append({ name: 'userctx.account.erased', key, payload: { receiptId, ...subjects, time } });
  }
}

/** Returns the last snapshot of a family that userctx has deleted; its version is higher than that of any other. */
function erasedFamily(familyId: string): FamilySnapshot {
  const ownerUserId = parsePrincipalKey(ERASED_PRINCIPAL).id;
  return { familyId, version: Number.MAX_SAFE_INTEGER, ownerUserId, dissolved: true, members: [], children: [] };
}
