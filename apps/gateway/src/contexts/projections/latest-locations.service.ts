import { Injectable } from '@nestjs/common';
import type { LocationChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import type { LatestLocationEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { Batcher } from '@family-watch/platform/process/batcher';
import { ConnectedFamiliesService } from './connected-families.service.js';
import type { LatestValue } from '../mailbox/mailbox-notifier.js';
import { LatestLocationRepository } from './latest-location.repository.js';

/** Finds the latest locations of the children whose location a user may see. */
@Injectable()
export class LatestLocationsService {
  /** Concurrent lookups of new connections share one query. */
  private readonly lookupBatcher = new Batcher<string, readonly LatestLocationEntity[]>({
    process: async (familyIds) => {
      const found = Map.groupBy(await this.locations.findByFamilies(familyIds), ({ familyId }) => familyId);
      return familyIds.map((familyId) => found.get(familyId) ?? []);
    },
    maxBatchSize: 500,
    // A connection waits for a few lookups at most, and connections are limited per process.
    maxWaitingItems: 1_000_000,
  });

  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly locations: LatestLocationRepository,
  ) {}

  /** Returns the latest locations that a user connected to this node may see. */
  async findVisibleTo(userId: string): Promise<LatestValue[]> {
    const families = this.families.familiesOf(`user:${userId}`);
    if (families.length === 0) return [];
    const found = await Promise.all(families.map(({ familyId }) => this.lookupBatcher.submit(familyId)));
    return found
      .flat()
      .map(toLatestLocationMessage)
      .filter(({ subject }) => this.families.isAllowedByCache(`user:${userId}`, subject));
  }
}

/** Converts a location into the message that connected guardians receive. */
export function toLatestLocationMessage({
  familyId,
  cid,
  did,
  messageId,
  time,
  location,
}: LatestLocationEntity): LatestValue {
  const payload: LocationChangePayload = { did, cid, location };
  return {
    key: `LocationPointChangeMessage:${cid}`,
    subject: { familyId, cid, audience: 'LOCATION' },
    message: { id: messageId, kind: 'LocationPointChangeMessage', time, from: SYSTEM_SENDER, did, cid, payload },
  };
}
