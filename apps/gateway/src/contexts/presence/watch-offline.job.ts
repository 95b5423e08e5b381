import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { WATCH_SHUTDOWN_CAUSE } from '@family-watch/domain/watches/contracts/watch.events';
import type { Clock } from '@family-watch/event-bus/clock';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Environment } from '@family-watch/platform/config/environment';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { GatewayOutbox } from '../../infrastructure/gateway.outbox.js';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { ConnectionRepository } from './connection.repository.js';
import { didOfPrincipal, offlineTimeoutMs, presenceChanged } from './presence-events.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';
import type { WatchLivenessRow } from './watch-presence.repository.js';
import { evaluateLiveness } from './watch-liveness.js';

const LOOK_EVERY_MS = 1_000;
const WATCHES_AT_ONCE = 100;

/** Finds watches that went silent, and tells their guardians once of each silence. Nodes share the work. */
@Injectable()
export class WatchOfflineJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly connections: ConnectionRepository,
    private readonly watches: WatchPresenceRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    private readonly environment: Environment,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(LOOK_EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.judgeDue())) === WATCHES_AT_ONCE);
  }

  /** One share of the watches that are due, in the open unit of work; answers how many there were. */
  private async judgeDue(): Promise<number> {
    const now = this.clock.now();
    const due = await this.watches.claimDue(now, WATCHES_AT_ONCE);
    const listeningSince = due.length > 0 ? await this.connections.findServingSince() : undefined;
    // While no node has a lease, silence says nothing of the watches.
    if (listeningSince === undefined) return 0;
    const judged = due.map((watch) => ({
      watch,
      ...evaluateLiveness(watch, now, listeningSince, offlineTimeoutMs(this.environment)),
    }));
    await this.watches.storeUpdates(
      judged.map(({ watch, signs, dueAt }) => ({ ...signs, principal: watch.principal, dueAt })),
    );
    const offline = judged.filter(({ wentOffline }) => wentOffline);
    await this.outbox.appendMany(
      offline.map(({ watch }) => presenceChanged(watch.principal, false, now, watch.heardAt)),
    );
    for (const { watch, isLost } of judged) if (isLost) await this.tellLost(watch, now);
    return due.length;
  }

  /** A watch that is bound to no child has nobody to be told. */
  private async tellLost({ principal, heardAt }: WatchLivenessRow, time: number): Promise<void> {
    const did = didOfPrincipal(principal);
    const worn = await this.families.findByWatch(did);
    if (!worn) return;
    const payload = { did, time, cause: WATCH_SHUTDOWN_CAUSE.LOST_CONNECTION };
    const event: NewEventOf<DomainEvents, 'gateway.watch.shut-down'> = {
      name: 'gateway.watch.shut-down',
      key: principal,
      payload,
    };
    await this.outbox.appendMany([event]);
    const subject = { familyId: worn.family.familyId, cid: worn.cid, audience: 'GUARDIANS' } as const;
    const kind = 'WristwatchShutdownNoticeMessage';
    const source = `${principal}:silent-since:${heardAt}`;
    const message = { ...subject, kind, source, time, from: SYSTEM_SENDER, did, payload } as const;
    this.mailboxes.enqueue(toMailboxEntries(filterRecipients(subject, worn.family), message));
  }
}
