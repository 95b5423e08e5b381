import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { mayReceive } from '../../../protocol/delivery-access.js';
import { PublishedStateRepository } from '../published-state.repository.js';
import { CenterMessageRepository } from '../center-message.repository.js';
import { MessageCenterService } from '../message-center.service.js';

/** Publishes who joined and left a family, and deletes stored messages that their recipient may not see any more. */
@Injectable()
export class PublishMemberChangesHandler implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-members';
  readonly event = 'userctx.family.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly published: PublishedStateRepository,
    private readonly messages: CenterMessageRepository,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload: family }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const previous = await this.published.lockFamily(family.familyId);
    if (previous && previous.version >= family.version) return;
    const members = familyPrincipals({ ...family, children: [] }).map((key) => key.slice('user:'.length));
    await this.published.saveFamily({ familyId: family.familyId, version: family.version, members });
    await this.deleteInvisibleMessages(family);
    // The first snapshot of a family publishes no joins, because its members had joined before.
    if (!previous || family.dissolved) return;
    const joined = members.filter((userId) => !previous.members.includes(userId));
    const left = previous.members.filter((userId) => !members.includes(userId));
    const subject = { familyId: family.familyId, cid: null, did: null, audience: 'GUARDIANS', time } as const;
    for (const userId of joined) {
      await this.center.publish({ ...subject, source: `${id}:${userId}`, type: 'MEMBER_JOINED', params: { userId } });
    }
    for (const userId of left) {
      await this.center.publish({ ...subject, source: `${id}:${userId}`, type: 'MEMBER_LEFT', params: { userId } });
    }
  }

  private async deleteInvisibleMessages(family: FamilySnapshot): Promise<void> {
    const stored = await this.messages.findSubjects(family.familyId);
    const invisible = stored.filter((subject) => !mayReceive(`user:${subject.userId}`, subject, family));
    if (invisible.length > 0) await this.messages.deleteBySubjects(family.familyId, invisible);
  }
}
