import { Injectable } from '@nestjs/common';
import type { ErasureSubjects } from '@family-watch/domain/accounts/contracts/account-deletion';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { RevocationService } from '../accounts/sessions/revocation.service.js';
import { FamilySuccessionService } from '../families/memberships/family-succession.service.js';
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
    await this.erasure.begin(receiptId, subjects, counts);
    // Appended before the events of the erased children, so that the apps count what they erase.
    await this.publish(receiptId, subjects, time);
    await this.succession.eraseFamilies(families);
    return subjects;
  }

  async publish(receiptId: string, subjects: ErasureSubjects, time: number): Promise<void> {
    const key = subjects.familyIds[0] ?? `user:${subjects.userId}`;
    await this.outbox.append({ name: 'userctx.account.erased', key, payload: { receiptId, ...subjects, time } });
  }
}
