import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { BIND_STATE } from '@family-watch/domain/messages/contracts/payloads';
import type { DeviceBindStateChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';

type BindingEvent = 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Notifies the watch and the guardians that the watch was bound to a child or unbound. */
@Injectable()
export class SendBindStateNoticeHandler implements EventHandler<DomainEvents, BindingEvent>, OnModuleInit {
  readonly name = 'gateway.notices.tell-binding';
  // One handler processes bind and unbind events, so that their order is preserved.
  readonly event = ['userctx.watch.bound', 'userctx.watch.unbound'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<BindingEvent>(this);
  }

  async handle({ id, name, payload: binding }: EventOf<DomainEvents, BindingEvent>): Promise<void> {
    const { familyId, cid, did, by, time } = binding;
    const state = name === 'userctx.watch.bound' ? BIND_STATE.BOUND : BIND_STATE.UNBOUND;
    const payload: DeviceBindStateChangePayload = { did, cid, state, by };
    const kind = 'DeviceBindStateChangeNoticeMessage';
    const notice = { source: id, kind, time, from: SYSTEM_SENDER, did, cid, payload } as const;
    const toMembers = { ...notice, familyId, audience: 'GUARDIANS' } as const;
    // The notice to the watch has no family as its subject: an unbound watch must receive it although it no longer
    // belongs to the family.
    const toWatch = { ...notice, familyId: null, audience: 'MEMBERS' } as const;
    const family = await this.families.get(familyId);
    this.mailboxes.enqueue([
      ...toMailboxEntries([`watch:${did}`], toWatch),
      ...toMailboxEntries(filterRecipients(toMembers, family), toMembers),
    ]);
  }
}
