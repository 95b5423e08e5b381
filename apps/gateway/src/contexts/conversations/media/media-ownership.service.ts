import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import { CloudContentRepository } from './cloud-content.repository.js';

/** Whoever has just uploaded may be faster than the event that tells of it; milliseconds between looks. */
const PAUSES_MS = [50, 150, 300, 500];
/** Sendings that may wait for such an event at the same time. */
const MAX_WAITING = 256;

/** Lets only contents of the sender's own family cloud into conversations. */
@Injectable()
export class MediaOwnershipService {
  private waiting = 0;

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly contents: CloudContentRepository,
  ) {}

  /**
   * Waits at most a second for a content that is not known; not while a unit of work is open, which holds a connection.
   * @throws ServiceError CONTENT_NOT_FOUND for one that is unknown or of another family; OVERLOADED
   */
  async assertOwnedBy(familyId: string, contentIds: readonly string[]): Promise<void> {
    const ids = [...new Set(contentIds)];
    if (await this.contents.containsAll(familyId, ids)) return;
    if (this.unitOfWork.isOpen) throw new ServiceError('CONTENT_NOT_FOUND');
    if (this.waiting >= MAX_WAITING) throw new ServiceError('OVERLOADED', { retryAfter: 1 });
    this.waiting += 1;
    try {
      for (const pause of PAUSES_MS) {
        await sleep(pause);
        if (await this.contents.containsAll(familyId, ids)) return;
      }
    } finally {
      this.waiting -= 1;
    }
    throw new ServiceError('CONTENT_NOT_FOUND');
  }
}
