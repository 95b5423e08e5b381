import { Injectable } from '@nestjs/common';
import type { LocationChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { Batcher } from '@family-watch/platform/process/batcher';
import { FamilyDirectory } from '../families/family-directory.service.js';
import type { LatestValue } from '../mailbox/wake-ups.js';
import { ChildPositionRepository } from './child-position.repository.js';
import type { ChildPosition } from './child-position.repository.js';

/** Where the children are that somebody may see. */
@Injectable()
export class PositionsService {
  /** Those who connect at the same time are told together. */
  private readonly lookups = new Batcher<string, readonly ChildPosition[]>({
    process: async (familyIds) => {
      const found = Map.groupBy(await this.positions.findByFamilies(familyIds), ({ familyId }) => familyId);
      return familyIds.map((familyId) => found.get(familyId) ?? []);
    },
    maxBatch: 500,
    // A handful per connection, and connections are bounded by the process.
    maxWaiting: 1_000_000,
  });

  constructor(
    private readonly families: FamilyDirectory,
    private readonly positions: ChildPositionRepository,
  ) {}

  /** Newest positions of the children of the families of a person who is connected here and may see them. */
  async findSeenBy(userId: string): Promise<LatestValue[]> {
    const families = this.families.familiesOf(`user:${userId}`);
    if (families.length === 0) return [];
    const found = await Promise.all(families.map(({ familyId }) => this.lookups.submit(familyId)));
    return found
      .flat()
      .map(latestPosition)
      .filter(({ subject }) => this.families.isAdmitted(`user:${userId}`, subject));
  }
}

/** A position as connected guardians are told of it. */
export function latestPosition({ familyId, cid, did, messageId, time, location }: ChildPosition): LatestValue {
  const payload: LocationChangePayload = { did, cid, location };
  return {
    key: `LocationPointChangeMessage:${cid}`,
    subject: { familyId, cid, audience: 'LOCATION' },
    message: { id: messageId, kind: 'LocationPointChangeMessage', time, from: SYSTEM_SENDER, did, cid, payload },
  };
}
