import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';

/** Names of the projections of mcdisk. */
export const PROJECTION = { FAMILIES: 'families', FRIENDSHIPS: 'friendships' } as const;

/**
 * Monitors the projections of mcdisk. A projection is unknown for a family while an event of the family could not be
 * processed: the stored state may be outdated.
 */
export class McdiskProjections extends ProjectionMonitor {
  /**
   * Must be called before a projection decides about access.
   *
   * @throws ServiceError CLOUD_NOT_READY while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw new ServiceError('CLOUD_NOT_READY', { retryAfter: 2 });
  }
}
