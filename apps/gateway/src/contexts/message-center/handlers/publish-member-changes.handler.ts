import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { mayReceive } from '../../../protocol/delivery-access.js';
import { NotifiedFamilyRepository } from '../notified-family.repository.js';
import { CenterMessageRepository } from '../center-message.repository.js';
import { MessageCenterService } from '../message-center.service.js';

/** Members learn who joins and who leaves; what somebody may not know any more leaves their centre. */
@Injectable()
export class PublishMemberChangesHandler implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-members';
  readonly event = 'userctx.family.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: NotifiedFamilyRepository,
    private readonly messages: CenterMessageRepository,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload: family }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const known = await this.families.lock(family.familyId);
    if (known && known.version >= family.version) return;
    const members = familyPrincipals({ ...family, children: [] }).map((key) => key.slice('user:'.length));
    await this.families.save(family.familyId, { version: family.version, members });
    await this.forgetWhatIsOver(family);
    // Of a family that was not known nobody has joined: its first members were there before it was told of.
    if (!known || family.dissolved) return;
    const joined = members.filter((userId) => !known.members.includes(userId));
    const left = known.members.filter((userId) => !members.includes(userId));
    const about = { familyId: family.familyId, cid: null, did: null, audience: 'GUARDIANS', time } as const;
    for (const userId of joined) {
      await this.center.publish({ ...about, source: `${id}:${userId}`, type: 'MEMBER_JOINED', params: { userId } });
    }
    for (const userId of left) {
      await this.center.publish({ ...about, source: `${id}:${userId}`, type: 'MEMBER_LEFT', params: { userId } });
    }
  }

  private async forgetWhatIsOver(family: FamilySnapshot): Promise<void> {
    const kept = await this.messages.findSubjects(family.familyId);
    const over = kept.filter((subject) => !mayReceive(`user:${subject.userId}`, subject, family));
    if (over.length > 0) await this.messages.deleteSubjects(family.familyId, over);
  }
}
