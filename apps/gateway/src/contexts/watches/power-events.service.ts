import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { WatchShutdownReportDto, WatchStartupReportDto } from '@family-watch/domain/messages/dto/payloads.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { deriveMessageId } from '../../protocol/message-id.js';
import type { ClientSession } from '../connections/client-session.js';
import { OnClientEvent } from '../connections/on-client-event.decorator.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import type { MailboxDelivery } from '../mailbox/mailbox.service.js';
import { PresenceService } from '../presence/presence.service.js';

/** Publishes startups and announced shutdowns of watches: a notice to their guardians, and an event for other apps. */
@Injectable()
export class PowerEventsService {
  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly mailboxes: MailboxService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnClientEvent('WristwatchStartupNoticeMessage')
  async recordStartup({ time, cause }: WatchStartupReportDto, session: ClientSession): Promise<{ id: string }> {
    const payload = { did: didOf(session), time: this.clampToNow(time), cause };
    const event = { name: 'gateway.watch.started', key: session.connection.key, payload } as const;
    return this.publish('WristwatchStartupNoticeMessage', session, payload, [event]);
  }

  @OnClientEvent('WristwatchShutdownNoticeMessage')
  async recordShutdown({ time, cause }: WatchShutdownReportDto, session: ClientSession): Promise<{ id: string }> {
    const payload = { did: didOf(session), time: this.clampToNow(time), cause };
    const event = { name: 'gateway.watch.shut-down', key: session.connection.key, payload } as const;
    await this.presence.recordShutdown(session.connection.key);
    return this.publish('WristwatchShutdownNoticeMessage', session, payload, [event]);
  }

  /**
   * Publishes the report. A report that the watch repeats because the response was lost has the same source, so its
   * notice is delivered once.
   */
  private async publish(
    kind: MessageKind,
    { connection }: ClientSession,
    payload: { did: number; time: number },
    events: MailboxDelivery['events'],
  ): Promise<{ id: string }> {
    const { principal } = connection.identity;
    const child = await this.families.childOf(principal.id);
    const family = child && (await this.families.find(child.familyId));
    if (!child || !family) throw new ServiceError('WATCH_UNBOUND');
    const subject = { ...child, audience: 'GUARDIANS' } as const;
    const source = `${connection.key}:${payload.time}`;
    const from = { type: 'watch', id: principal.id } as const;
    const message = { ...subject, kind, source, time: this.clock.now(), from, did: payload.did, payload };
    await this.mailboxes.deliver({ events, entries: toMailboxEntries(filterRecipients(subject, family), message) });
    return { id: deriveMessageId(`${source}:${kind}`) };
  }

  /** Returns the reported time, or the current time if the watch's clock is unset or ahead. */
  private clampToNow(reported: number | undefined): number {
    return Math.min(reported ?? Number.POSITIVE_INFINITY, this.clock.now());
  }
}

function didOf({ connection }: ClientSession): number {
  return Number(connection.identity.principal.id);
}
