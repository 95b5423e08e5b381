import { Inject, Injectable, Logger } from '@nestjs/common';
import type { HeartbeatDto } from '@family-watch/domain/messages/dto/heartbeat.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import type { ClientSession } from '../connections/client-session.js';
import { Receives } from '../connections/receives.decorator.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { PresenceService } from '../presence/presence.service.js';
import { StatusConflation, statusOf } from './watch-status.js';

/** Heartbeats: a watch's are conflated to one status event per real change or minute, an app's only show it lives. */
@Injectable()
export class HeartbeatEvents {
  private readonly logger = new Logger(HeartbeatEvents.name);
  private readonly told = new WeakMap<ClientSession, StatusConflation>();

  constructor(
    private readonly mailboxes: MailboxService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Receives('HeartbeatMessage')
  async heartbeat(heartbeat: HeartbeatDto, session: ClientSession): Promise<void> {
    const { principal } = session.connection.identity;
    if (principal.type !== 'watch') return;
    void this.presence.heard(session.connection.key);
    const conflation = this.told.get(session) ?? new StatusConflation();
    this.told.set(session, conflation);
    const status = statusOf(heartbeat);
    const time = this.clock.now();
    if (!conflation.take(status, time)) return;
    const payload = { ...status, did: Number(principal.id), time };
    // A heartbeat is ephemeral: its answer does not wait for the disk, the next one makes up for a lost event.
    this.mailboxes
      .deliver({ events: [{ name: 'gateway.watch.status-reported', key: session.connection.key, payload }] })
      .catch((error: unknown) => {
        conflation.forget();
        this.logger.warn(`A status could not be stored: ${String(error)}`);
      });
  }
}
