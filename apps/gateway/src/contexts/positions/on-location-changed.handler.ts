import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { recipientsAmongMembers } from '../../protocol/delivery-access.js';
import { FamilyDirectory } from '../families/family-directory.service.js';
import { WakeUps } from '../mailbox/wake-ups.js';
import { ChildPositionRepository } from './child-position.repository.js';
import { latestPosition } from './positions.service.js';

/** Keeps each child's newest position and shows it to the guardians who are connected. */
@Injectable()
export class OnLocationChangedHandler implements EventHandler<DomainEvents, 'userctx.location.changed'>, OnModuleInit {
  readonly name = 'gateway.positions.show-location';
  readonly event = 'userctx.location.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly positions: ChildPositionRepository,
    private readonly families: FamilyDirectory,
    private readonly wakeUps: WakeUps,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload }: EventOf<DomainEvents, 'userctx.location.changed'>): Promise<void> {
    const { familyId, cid, did, location } = payload;
    const position = { familyId, cid, did, messageId: id, time, location };
    const isNewest = await this.positions.store(position);
    const family = isNewest ? await this.families.find(familyId) : undefined;
    if (!family) return;
    const latest = latestPosition(position);
    const recipients = recipientsAmongMembers(latest.subject, family);
    this.unitOfWork.afterCommit(() => this.wakeUps.announceLatest(recipients, latest));
  }
}
