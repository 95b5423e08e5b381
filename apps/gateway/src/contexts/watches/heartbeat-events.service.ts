import { Inject, Injectable, Logger } from '@nestjs/common';
import type { HeartbeatDto } from '@family-watch/domain/messages/dto/payloads.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import type { ClientSession } from '../connections/client-session.js';
import { OnClientEvent } from '../connections/on-client-event.decorator.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { PresenceService } from '../presence/presence.service.js';
import { StatusThrottle, toWatchStatus } from './watch-status.js';

/**
 * Handles heartbeats. A watch's heartbeat publishes a status event if a relevant value has changed or the last event is
 * a minute old. An app's heartbeat only keeps its connection alive.
 */
@Injectable()
export class HeartbeatEventsService {
  private readonly logger = new Logger(HeartbeatEventsService.name);
  private readonly throttles = new WeakMap<ClientSession, StatusThrottle>();

  constructor(
    private readonly mailboxes: MailboxService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnClientEvent('HeartbeatMessage')
  async heartbeat(heartbeat: HeartbeatDto, session: ClientSession): Promise<void> {
    const { principal } = session.connection.identity;
    if (principal.type !== 'watch') return;
    void this.presence.recordHeartbeat(session.connection.key);
    const throttle = this.throttles.get(session) ?? new StatusThrottle();
    this.throttles.set(session, throttle);
    const status = toWatchStatus(heartbeat);
    const time = this.clock.now();
    if (!throttle.shouldPublish(status, time)) return;
    const payload = { ...status, did: Number(principal.id), time };
    // The response does not wait for the commit: the next heartbeat makes up for a lost event.
    this.mailboxes
      .deliver({ events: [{ name: 'gateway.watch.status-reported', key: session.connection.key, payload }] })
      .catch((error: unknown) => {
        throttle.reset();
        this.logger.warn({ msg: 'Watch status event failed', principal: session.connection.key, err: error });
      });
  }
}
