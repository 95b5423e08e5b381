import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { ChildWatchLinksService } from '../../families/child-watch-links.service.js';
import { SettingsChangesService } from './settings-changes.service.js';

/**
 * Publishes a change of the device settings when the child's time zone changes: all schedules use the time zone, and
 * the watch receives it with the device settings.
 */
@Injectable()
export class PublishTimeZoneChangeHandler implements EventHandler<DomainEvents, 'userctx.child.updated'>, OnModuleInit {
  readonly name = 'userctx.watch-settings.tell-time-zone';
  readonly event = 'userctx.child.updated' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly links: ChildWatchLinksService,
    private readonly changes: SettingsChangesService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.child.updated'>): Promise<void> {
    const { cid, by, timeZoneChanged } = payload;
    const child = timeZoneChanged ? await this.links.findByChild(cid) : null;
    if (child) await this.changes.record(child, SETTINGS_RESOURCE.DEVICE, by);
  }
}
