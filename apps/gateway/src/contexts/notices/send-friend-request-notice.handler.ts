import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { AddFriendPayload } from '@family-watch/domain/messages/contracts/watch-notices';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';

type FriendApplicationEvent = EventOf<DomainEvents, 'userctx.friend-application.changed'>;

/** Notifies both watches and the guardians of both families of a friend request's state. */
@Injectable()
export class SendFriendRequestNoticeHandler
  implements EventHandler<DomainEvents, 'userctx.friend-application.changed'>, OnModuleInit
{
  readonly name = 'gateway.notices.tell-friend-application';
  readonly event = 'userctx.friend-application.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle(event: FriendApplicationEvent): Promise<void> {
    for (const side of ['from', 'to'] as const) this.mailboxes.enqueue(await this.createEntries(side, event));
  }

  /** Creates the notices for one family, about its child and the watch that is currently bound to the child. */
  private async createEntries(
    side: 'from' | 'to',
    { id, payload: request }: FriendApplicationEvent,
  ): Promise<MailboxEntry[]> {
    const { familyId, cid } = request[side];
    const family = await this.families.get(familyId);
    const did = family.children.find((child) => child.cid === cid)?.did ?? null;
    const payload: AddFriendPayload = {
      applicationId: request.applicationId,
      from: request.from.did,
      state: request.state,
    };
    const subject = { familyId, cid, audience: 'GUARDIANS' } as const;
    const kind = 'AddFriendNoticeMessage';
    const notice = { ...subject, source: id, kind, time: request.time, from: SYSTEM_SENDER, did, payload } as const;
    const watch: PrincipalKey[] = did === null ? [] : [`watch:${did}`];
    return toMailboxEntries([...watch, ...filterRecipients(subject, family)], notice);
  }
}
