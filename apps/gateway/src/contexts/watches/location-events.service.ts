import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResult } from '@family-watch/domain/locations/contracts/validate-point';
import type { LocationChangeReportDto } from '@family-watch/domain/messages/dto/payloads.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import type { ClientSession } from '../connections/client-session.js';
import { OnClientEvent } from '../connections/on-client-event.decorator.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

/**
 * Receives location points from watches and validates their form; userctx evaluates whether the points are plausible.
 */
@Injectable()
export class LocationEventsService {
  constructor(
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Responds when the valid points are committed. Rejects only the invalid points of a report. */
  @OnClientEvent('LocationPointChangeMessage')
  async report(
    { points }: LocationChangeReportDto,
    { connection }: ClientSession,
  ): Promise<{ id: string; points: PointResult[] }> {
    const accepted: Location[] = [];
    const results = points.map((point, index): PointResult => {
      const check = validatePoint(point);
      if (!check.isValid) return { index, accepted: false, flags: [], reason: check.reason };
      accepted.push(check.point);
      return { index, accepted: true, flags: [], reason: null };
    });
    if (accepted.length > 0) {
      const payload = { did: Number(connection.identity.principal.id), points: accepted, receivedAt: this.clock.now() };
      await this.mailboxes.deliver({
        events: [{ name: 'gateway.location.reported', key: connection.key, payload }],
      });
    }
    return { id: randomUUID(), points: results };
  }
}
