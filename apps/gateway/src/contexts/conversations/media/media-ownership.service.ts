import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { GatewayProjections, PROJECTION, GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { CloudContentRepository } from './cloud-content.repository.js';

/**
 * Milliseconds before each further check for an unknown file: a client may send the file's id before mcdisk's event
 * about the file has arrived.
 */
const RETRY_DELAYS_MS = [50, 150, 300, 500];
/** Maximum number of requests that wait concurrently for events about unknown files. */
const MAX_WAITING_REQUESTS = 256;

/** Ensures that only files of the sender's own family cloud are sent to conversations. */
@Injectable()
export class MediaOwnershipService {
  private waitingCount = 0;

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly contents: CloudContentRepository,
    private readonly projections: GatewayProjections,
  ) {}

  /**
   * Checks that the files are in the family's cloud. Waits up to one second for an unknown file, but not inside a
   * transaction, which occupies a database connection.
   * @throws ServiceError CONTENT_NOT_FOUND for a file that is unknown or of another family
   * @throws ServiceError OVERLOADED, also while the projection of the family's files is unknown
   */
  async assertOwnedBy(familyId: string, contentIds: readonly string[]): Promise<void> {
    this.projections.assertKnown(PROJECTION.CONTENTS, familyId);
    const ids = [...new Set(contentIds)];
    if (await this.contents.containsAll(familyId, ids)) return;
    if (this.unitOfWork.isInTransaction) throw new ServiceError('CONTENT_NOT_FOUND');
    if (this.waitingCount >= MAX_WAITING_REQUESTS) throw new ServiceError('OVERLOADED', { retryAfter: 1 });
    this.waitingCount += 1;
    try {
      for (const pause of RETRY_DELAYS_MS) {
        await sleep(pause);
        if (await this.contents.containsAll(familyId, ids)) return;
      }
    } finally {
      this.waitingCount -= 1;
    }
    throw new ServiceError('CONTENT_NOT_FOUND');
  }
}
