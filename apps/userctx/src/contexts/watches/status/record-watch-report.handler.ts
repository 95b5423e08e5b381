import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { WatchStatusService } from './watch-status.service.js';

type WatchReport =
  | 'gateway.watch.status-reported'
  | 'gateway.watch.started'
  | 'gateway.watch.shut-down'
  | 'gateway.watch.presence-changed';

/** Handles all status events of watches in one handler, because their order matters. */
@Injectable()
export class RecordWatchReportHandler implements EventHandler<DomainEvents, WatchReport>, OnModuleInit {
  readonly name = 'userctx.watches.keep-status';
  readonly event = [
    'gateway.watch.status-reported',
    'gateway.watch.started',
    'gateway.watch.shut-down',
    'gateway.watch.presence-changed',
  ] as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly status: WatchStatusService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  handle({ name, payload }: EventOf<DomainEvents, WatchReport>): Promise<void> {
    switch (name) {
      case 'gateway.watch.status-reported':
        return this.status.report(payload);
      case 'gateway.watch.started':
        return this.status.recordStart(payload);
      case 'gateway.watch.shut-down':
        return this.status.recordShutdown(payload);
      case 'gateway.watch.presence-changed':
        return this.status.recordPresence(payload);
    }
  }
}
