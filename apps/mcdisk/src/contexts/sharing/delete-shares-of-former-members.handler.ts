import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ShareRepository } from './share.repository.js';

type FamilyChangedEvent = 'userctx.family.changed';

/**
 * Deletes shares whose grantee or creator is no longer a member. Shares of a dissolved family are deleted with its
 * cloud.
 */
@Injectable()
export class DeleteSharesOfFormerMembersHandler
  implements EventHandler<DomainEvents, FamilyChangedEvent>, OnModuleInit
{
  readonly name = 'mcdisk.sharing.family';
  readonly event = 'userctx.family.changed' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly shares: ShareRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, FamilyChangedEvent>): Promise<void> {
    const { familyId, version, members, dissolved } = payload;
    if (dissolved) return;
    const principals = members.map(({ userId }): PrincipalKey => `user:${userId}`);
    await this.shares.deleteByFormerMembers(familyId, version, principals);
  }
}
