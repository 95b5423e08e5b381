import { Injectable } from '@nestjs/common';
import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { AccountErasure, type ErasurePass } from '@family-watch/platform/app/erasure/account-erasure';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { PersonalDataRepository } from './personal-data.repository.js';

/**
 * Erases what userctx keeps about erased accounts. The rooms erase the data of the children when they handle
 * `userctx.child.erased`; the passes wait until nothing of it is left.
 */
@Injectable()
export class UserctxAccountErasure extends AccountErasure {
  constructor(
    unitOfWork: UserctxUnitOfWork,
    outbox: UserctxOutbox,
    private readonly data: PersonalDataRepository,
  ) {
    super('userctx', unitOfWork, outbox);
  }

  @OnJob('userctx.account-erasure.continue', {
    intervalMs: 1_000,
    queue: { entity: AccountErasureEntity, dueAt: 'dueAt' },
  })
  continue(now: number, signal: AbortSignal): Promise<void> {
    return this.continueDue(now, signal);
  }

  protected override async erase(subjects: ErasureSubjects): Promise<ErasurePass> {
    const counts = await this.data.eraseReferences(subjects.userId);
    const remaining = await this.data.count(subjects);
    return { counts, isPending: Object.values(remaining).some((count) => count > 0) };
  }
}
