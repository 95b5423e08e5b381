import { Inject, Injectable, Logger } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import type { WatchPresenceEntity } from '@family-watch/domain/messages/entities/presence.entities';
import { WATCH_SHUTDOWN_CAUSE } from '@family-watch/domain/watches/contracts/watch';
import type { Clock } from '@family-watch/event-bus/clock';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayOutbox, CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { filterRecipients } from '../projections/delivery-access.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import { PresenceRepository } from './presence.repository.js';
import { didOfPrincipal, offlineTimeoutMs, createPresenceChangedEvent, evaluateLiveness } from './watch-liveness.js';

const BATCH_SIZE = 100;

/**
 * Marks watches offline and notifies their guardians once per lost connection. Each due watch is processed by one node.
 */
@Injectable()
export class WatchLivenessService {
  private readonly logger = new Logger(WatchLivenessService.name);

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly presence: PresenceRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    private readonly environment: Environment,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnJob('gateway.presence.mark-watches-offline', { intervalMs: 1_000 })
  async markOffline(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.processDueWatches())) === BATCH_SIZE);
  }

  /** Evaluates one batch of due watches in the current transaction; returns the size of the batch. */
  private async processDueWatches(): Promise<number> {
    const now = this.clock.now();
    const due = await this.presence.claimDueWatches(now, BATCH_SIZE);
    const servingSince = due.length > 0 ? await this.presence.findServingSince() : undefined;
    // While no node has a valid lease, no node can receive heartbeats, so no watch is marked offline.
    if (servingSince === undefined) return 0;
    const evaluated = due.map((watch) => ({
      watch,
      ...evaluateLiveness(watch, now, servingSince, offlineTimeoutMs(this.environment)),
    }));
    await this.presence.updateWatches(
      evaluated.map(({ watch, state, dueAt }) => ({ ...state, principal: watch.principal, dueAt })),
    );
    const offline = evaluated.filter(({ wentOffline }) => wentOffline);
    await this.outbox.appendMany(
      offline.map(({ watch }) => createPresenceChangedEvent(watch.principal, false, now, watch.lastSeenAt)),
    );
    for (const { watch, isLost } of evaluated) if (isLost) await this.publishLost(watch, now);
    return due.length;
  }

  /**
   * Returns undefined also while the projection of the family may be outdated, so that the other watches of the batch
   * are processed.
   */
  private async findBinding(did: number): ReturnType<FamilyLookupService['findByWatch']> {
    try {
      return await this.families.findByWatch(did);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.logger.warn({ msg: 'Watch offline notice omitted, projection of its family is unknown', did });
      return undefined;
    }
  }

  /** Publishes the event that the watch has lost its connection, if the watch is bound to a child. */
  private async publishLost({ principal, lastSeenAt }: WatchPresenceEntity, time: number): Promise<void> {
    const did = didOfPrincipal(principal);
    const binding = await this.findBinding(did);
    if (!binding) return;
    const payload = { did, time, cause: WATCH_SHUTDOWN_CAUSE.LOST_CONNECTION };
    const event: NewEventOf<DomainEvents, 'gateway.watch.shut-down'> = {
      name: 'gateway.watch.shut-down',
      key: principal,
      payload,
    };
    await this.outbox.appendMany([event]);
    const subject = { familyId: binding.family.familyId, cid: binding.cid, audience: 'GUARDIANS' } as const;
    const kind = 'WristwatchShutdownNoticeMessage';
    const source = `${principal}:silent-since:${lastSeenAt}`;
    const message = { ...subject, kind, source, time, from: SYSTEM_SENDER, did, payload } as const;
    this.mailboxes.enqueue(toMailboxEntries(filterRecipients(subject, binding.family), message));
  }
}
