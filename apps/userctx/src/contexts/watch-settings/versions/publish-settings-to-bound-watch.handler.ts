import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { BindingHistoryService } from '../../watches/binding/binding-history.service.js';
import { SettingsChangesService } from './settings-changes.service.js';

/** Notifies a newly bound watch of the child's existing settings, so that it can acknowledge them. */
@Injectable()
export class PublishSettingsToBoundWatchHandler
  implements EventHandler<DomainEvents, 'userctx.watch.bound'>, OnModuleInit
{
  readonly name = 'userctx.watch-settings.tell-bound-watch';
  readonly event = 'userctx.watch.bound' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly bindings: BindingHistoryService,
    private readonly changes: SettingsChangesService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.watch.bound'>): Promise<void> {
    const { familyId, cid, did, by, time } = payload;
    const binding = await this.bindings.findAt(did, Math.max(time, Date.now()));
    // The watch may be unbound or bound to another child by now.
    if (binding?.cid === cid) await this.changes.publishAll({ familyId, cid, did }, by);
  }
}
