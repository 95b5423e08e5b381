import { Injectable } from '@nestjs/common';
import type { LocationChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import type { LatestLocationEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../../projections/connected-families.service.js';
import { filterRecipients } from '../../projections/delivery-access.js';
import { MailboxNotifier, type LatestValue } from '../mailbox-notifier.js';
import { LatestLocationRepository } from './latest-location.repository.js';

/** Families whose locations one transaction locks and sends. */
const RELEASE_BATCH_SIZE = 100;

/** Finds and sends the latest locations of the children whose location a user may see. */
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

  /** Families whose latest locations were not sent to connected users because access could not be decided. */
  private readonly withheldFamilies = new Set<string>();

  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly locations: LatestLocationRepository,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly notifier: MailboxNotifier,
  ) {}

  /** Returns the latest locations that a user connected to this node may see. */
  async findVisibleTo(userId: string): Promise<LatestValue[]> {
    const families = this.families.familiesOf(`user:${userId}`);
    if (families.length === 0) return [];
    const found = await Promise.all(families.map(({ familyId }) => this.lookupBatcher.submit(familyId)));
    return found
      .flat()
      .map(toLatestLocationMessage)
      .filter(({ subject }) => this.isAllowed(`user:${userId}`, subject));
  }

  /**
   * Returns whether a connected user may receive the latest value now. A value that is denied because access cannot be
   * decided is sent when it can be decided.
   */
  isAllowed(principal: PrincipalKey, subject: DeliverySubject): boolean {
    if (this.families.isAllowedByCache(principal, subject)) return true;
    const { familyId } = subject;
    if (familyId !== null && !this.families.canDecideAccess(familyId)) this.withheldFamilies.add(familyId);
    return false;
  }

  /** Sends the withheld locations of the families for which access can be decided again to the connected guardians. */
  @OnJob('gateway.projections.send-withheld-locations', { intervalMs: 1_000 })
  async sendWithheldLocations(): Promise<void> {
    const released = [...this.withheldFamilies].filter((familyId) => this.families.canDecideAccess(familyId));
    for (let start = 0; start < released.length; start += RELEASE_BATCH_SIZE) {
      const familyIds = released.slice(start, start + RELEASE_BATCH_SIZE);
      for (const familyId of familyIds) this.withheldFamilies.delete(familyId);
      try {
        // The locks keep a newer location from being published before these.
        await this.unitOfWork.run(async () => {
          for (const location of await this.locations.lockByFamilies(familyIds)) await this.publish(location);
        });
      } catch (error) {
        for (const familyId of familyIds) this.withheldFamilies.add(familyId);
        throw error;
      }
    }
  }

  /** Sends a stored location to the connected guardians after the current transaction. */
  async publish(location: LatestLocationEntity): Promise<void> {
    const family = await this.families.find(location.familyId);
    if (!family) {
      if (!this.families.isKnown(location.familyId)) this.withheldFamilies.add(location.familyId);
      return;
    }
    const latest = toLatestLocationMessage(location);
    const recipients = filterRecipients(latest.subject, family);
    this.unitOfWork.afterCommit(() => this.notifier.publishLatest(recipients, latest));
  }
}

/** Converts a location into the message that connected guardians receive. */
function toLatestLocationMessage({ familyId, cid, did, messageId, time, location }: LatestLocationEntity): LatestValue {
  const payload: LocationChangePayload = { did, cid, location };
  return {
    key: `LocationPointChangeMessage:${cid}`,
    subject: { familyId, cid, audience: 'LOCATION' },
    message: { id: messageId, kind: 'LocationPointChangeMessage', time, from: SYSTEM_SENDER, did, cid, payload },
  };
}
