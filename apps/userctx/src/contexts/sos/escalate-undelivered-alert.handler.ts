import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { SosEscalationService } from './sos-escalation.service.js';

type UndeliveredEvent = 'gateway.alert.undelivered';

/** Sends the SMS of an SOS immediately to a member whose apps did not receive the alert. */
@Injectable()
export class EscalateUndeliveredAlertHandler implements EventHandler<DomainEvents, UndeliveredEvent>, OnModuleInit {
  readonly name = 'userctx.sos.hurry-sms';
  readonly event = 'gateway.alert.undelivered' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly escalation: SosEscalationService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, UndeliveredEvent>): Promise<void> {
    const { userId, familyId, cid, about } = payload;
    if (about !== null && isUuid(about)) await this.escalation.escalateNow({ familyId, cid, sosId: about, userId });
  }
}
