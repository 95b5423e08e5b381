import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

type TaskEvent = 'mcdisk.batch-task.changed';
const USER_PREFIX = 'user:';

/** Publishes the progress of a batch task to the member who started it, in one message that is updated. */
@Injectable()
export class PublishBatchTaskProgressHandler implements EventHandler<DomainEvents, TaskEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-batch-task';
  readonly event = 'mcdisk.batch-task.changed' as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, TaskEvent>): Promise<void> {
    const { cloudID, by, time, ...params } = payload;
    // A watch has no message centre; it polls the task.
    if (!by.startsWith(USER_PREFIX)) return;
    const subject = { familyId: cloudID, cid: null, did: null, audience: 'MEMBERS' } as const;
    const content = { type: 'CLOUD_TASK_CHANGED', params: { cloudID, ...params }, time } as const;
    const identity = { source: `batch-task:${params.taskID}`, version: id };
    await this.center.publish({ ...subject, ...content, ...identity, userIds: [by.slice(USER_PREFIX.length)] });
  }
}
