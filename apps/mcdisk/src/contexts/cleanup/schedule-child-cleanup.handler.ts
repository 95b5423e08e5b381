import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { CLEANUP_KIND } from '@family-watch/domain/family-cloud/contracts/cleanup-task';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { CleanupJob } from './cleanup.job.js';

/** Schedules the cleanup of the contents that an erased child's watch added. */
@Injectable()
export class ScheduleChildCleanupHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'mcdisk.endings.child';
  readonly event = 'userctx.child.erased';

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly tasks: CleanupTaskRepository,
    private readonly job: CleanupJob,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    const { cid, familyId } = payload;
    await this.tasks.insertIfAbsent({ kind: CLEANUP_KIND.CHILD, subject: cid, cloudId: familyId }, time);
    this.unitOfWork.afterCommit(() => this.job.trigger());
  }
}
