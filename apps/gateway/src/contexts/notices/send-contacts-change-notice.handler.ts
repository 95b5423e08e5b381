import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { ContactsChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';

/** Notifies the watch and the guardians that the watch's contacts have changed. */
@Injectable()
export class SendContactsChangeNoticeHandler
  implements EventHandler<DomainEvents, 'userctx.contact.changed'>, OnModuleInit
{
  readonly name = 'gateway.notices.tell-contact-change';
  readonly event = 'userctx.contact.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload: contactChange }: EventOf<DomainEvents, 'userctx.contact.changed'>): Promise<void> {
    const { familyId, cid, did, version, change, refId } = contactChange;
    // The notice is about the contact list on a watch; a child without a watch has none.
    if (did === null) return;
    const payload: ContactsChangePayload = { did, version, change, refId };
    const kind = 'ContactsChangeNoticeMessage';
    const subject = { familyId, cid, audience: 'GUARDIANS' } as const;
    const notice = { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload } as const;
    const family = await this.families.get(familyId);
    this.mailboxes.enqueue(toMailboxEntries([`watch:${did}`, ...filterRecipients(subject, family)], notice));
  }
}
