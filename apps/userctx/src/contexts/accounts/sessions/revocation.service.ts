import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { UserctxRevocationPublisher } from '../../../infrastructure/userctx.revocation-publisher.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { RevocationRepository } from './revocation.repository.js';

/** Ends access before its tokens expire. */
@Injectable()
export class RevocationService {
  private readonly logger = new Logger(RevocationService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly repository: RevocationRepository,
    private readonly publisher: UserctxRevocationPublisher,
  ) {}

  /**
   * Kept in the open unit of work, told to every app when it has committed.
   * @param time Unix milliseconds: a principal's tokens that were issued before it end. For a principal that never
   * comes back give one that lies ahead: a token may just be on its way, checked before and signed after.
   */
  async record(scopes: readonly Revocation['scope'][], time = Date.now()): Promise<void> {
    if (scopes.length === 0) return;
    const revocations = scopes.map((scope) => ({ id: randomUUID(), scope, time }));
    await this.unitOfWork.run(async () => {
      await this.repository.insert(revocations);
      this.unitOfWork.afterCommit(() => void this.publish(revocations));
    });
  }

  /** A publication that fails is repaired from the table by the feed. */
  private async publish(revocations: Revocation[]): Promise<void> {
    try {
      await this.publisher.revoke(revocations);
    } catch (error) {
      this.logger.warn({ msg: 'Revocation publish failed', err: error });
    }
  }
}
