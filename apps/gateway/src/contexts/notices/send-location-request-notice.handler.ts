import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { AskLocationPointPayload } from '@family-watch/domain/messages/contracts/watch-notices';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

/** Sends a location request to the watch. */
@Injectable()
export class SendLocationRequestNoticeHandler
  implements EventHandler<DomainEvents, 'userctx.location.asked'>, OnModuleInit
{
  readonly name = 'gateway.notices.ask-location';
  readonly event = 'userctx.location.asked';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly mailboxes: MailboxService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  handle({ id, payload: request }: EventOf<DomainEvents, 'userctx.location.asked'>): Promise<void> {
    const { familyId, cid, did, askId, by, deadline, time } = request;
    const payload: AskLocationPointPayload = { askId, by, deadline };
    const kind = 'AskLocationPointNoticeMessage';
    const subject = { familyId, cid, audience: 'LOCATION' } as const;
    const notice = { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload } as const;
    this.mailboxes.enqueue(toMailboxEntries([`watch:${did}`], notice));
    return Promise.resolve();
  }
}
