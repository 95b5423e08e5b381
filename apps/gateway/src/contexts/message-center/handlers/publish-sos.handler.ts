import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { CenterMessageParams, CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';
import { UrgentAlertsService } from '../urgent-alerts.service.js';

type SosEvent = 'userctx.sos.raised' | 'userctx.sos.escalated' | 'userctx.sos.acknowledged' | 'userctx.sos.resolved';

const MESSAGE_TYPES: Record<SosEvent, CenterMessageType> = {
  'userctx.sos.raised': 'SOS_RAISED',
  'userctx.sos.escalated': 'SOS_ESCALATED',
  'userctx.sos.acknowledged': 'SOS_ACKNOWLEDGED',
  'userctx.sos.resolved': 'SOS_RESOLVED',
};

/**
 * Publishes an SOS to all members with the ALERTS permission for the child when it is raised, acknowledged or resolved,
 * and to the recipients of each escalation step.
 */
@Injectable()
export class PublishSosHandler implements EventHandler<DomainEvents, SosEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-sos';
  // One handler processes all SOS events, so that an alert is raised before it is cancelled.
  readonly event = [
    'userctx.sos.raised',
    'userctx.sos.escalated',
    'userctx.sos.acknowledged',
    'userctx.sos.resolved',
  ] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
    private readonly alerts: UrgentAlertsService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<SosEvent>(this);
  }

  async handle({ id, name, payload }: EventOf<DomainEvents, SosEvent>): Promise<void> {
    const { familyId, cid, did, sosId, time } = payload;
    const subject = { familyId, cid, did, audience: 'ALERTS' } as const;
    const recipients = 'userIds' in payload ? { userIds: payload.userIds } : {};
    const content = { source: id, type: MESSAGE_TYPES[name], params: paramsOf(payload), time, alertKey: sosId };
    await this.center.publish({ ...subject, ...content, ...recipients });
    if ('by' in payload) this.alerts.cancel(sosId);
  }
}

function paramsOf(payload: DomainEvents[SosEvent]): CenterMessageParams {
  const { sosId } = payload;
  if ('by' in payload) return { sosId, by: payload.by };
  return 'step' in payload ? { sosId, step: payload.step } : { sosId };
}
