import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResult } from '@family-watch/domain/locations/contracts/validate-point';
import type { LocationChangeReportDto } from '@family-watch/domain/messages/dto/location-message.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import type { ClientSession } from '../connections/client-session.js';
import { OnClientEvent } from '../connections/on-client-event.decorator.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

/** Positions that watches report. Whether a well-formed point is plausible is judged by its owner, userctx. */
@Injectable()
export class LocationEventsService {
  constructor(
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Answers when the good points are on disk; a bad one is named and stops none of the others. */
  @OnClientEvent('LocationPointChangeMessage')
  async report(
    { points }: LocationChangeReportDto,
    { connection }: ClientSession,
  ): Promise<{ id: string; points: PointResult[] }> {
    const good: Location[] = [];
    const answers = points.map((point, index): PointResult => {
      const check = validatePoint(point);
      if (!check.ok) return { index, accepted: false, flags: [], reason: check.reason };
      good.push(check.point);
      return { index, accepted: true, flags: [], reason: null };
    });
    if (good.length > 0) {
      const payload = { did: Number(connection.identity.principal.id), points: good, receivedAt: this.clock.now() };
      await this.mailboxes.deliver({
        events: [{ name: 'gateway.location.reported', key: connection.key, payload }],
      });
    }
    return { id: randomUUID(), points: answers };
  }
}
