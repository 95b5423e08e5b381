import { Injectable } from '@nestjs/common';
import type { LocationChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { Batcher } from '@family-watch/platform/process/batcher';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import type { LatestValue } from '../mailbox/mailbox-notifier.js';
import { LatestLocationRepository } from './latest-location.repository.js';
import type { LatestLocation } from './latest-location.repository.js';

/** Where the children are that somebody may see. */
@Injectable()
export class LatestLocationsService {
  /** Those who connect at the same time are told together. */
  private readonly lookups = new Batcher<string, readonly LatestLocation[]>({
    process: async (familyIds) => {
      const found = Map.groupBy(await this.positions.findByFamilies(familyIds), ({ familyId }) => familyId);
      return familyIds.map((familyId) => found.get(familyId) ?? []);
    },
    maxBatch: 500,
    // A handful per connection, and connections are bounded by the process.
    maxWaiting: 1_000_000,
  });

  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly positions: LatestLocationRepository,
  ) {}

  /** Newest positions of the children of the families of a person who is connected here and may see them. */
  async findVisibleTo(userId: string): Promise<LatestValue[]> {
    const families = this.families.familiesOf(`user:${userId}`);
    if (families.length === 0) return [];
    const found = await Promise.all(families.map(({ familyId }) => this.lookups.submit(familyId)));
    return found
      .flat()
      .map(toLatestLocationMessage)
      .filter(({ subject }) => this.families.isAllowedByCache(`user:${userId}`, subject));
  }
}

/** A position as connected guardians are told of it. */
export function toLatestLocationMessage({
  familyId,
  cid,
  did,
  messageId,
  time,
  location,
}: LatestLocation): LatestValue {
  const payload: LocationChangePayload = { did, cid, location };
  return {
    key: `LocationPointChangeMessage:${cid}`,
    subject: { familyId, cid, audience: 'LOCATION' },
    message: { id: messageId, kind: 'LocationPointChangeMessage', time, from: SYSTEM_SENDER, did, cid, payload },
  };
}
