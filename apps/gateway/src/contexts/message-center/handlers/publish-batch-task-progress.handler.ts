import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

type TaskEvent = 'mcdisk.batch-task.changed';
const USER = 'user:';

/** Whoever began a task over many files is told how far it has come, in one message that is brought up to date. */
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
    // A watch has no message centre: it asks.
    if (!by.startsWith(USER)) return;
    const about = { familyId: cloudID, cid: null, did: null, audience: 'MEMBERS' } as const;
    const news = { type: 'CLOUD_TASK_CHANGED', params: { cloudID, ...params }, time } as const;
    const going = { source: `batch-task:${params.taskID}`, version: id, userIds: [by.slice(USER.length)] };
    await this.center.publish({ ...about, ...news, ...going });
  }
}
