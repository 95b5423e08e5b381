import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { AlarmClockRepository } from './alarm-clocks/alarm-clock.repository.js';
import { DeviceSettingsRepository } from './device-settings/device-settings.repository.js';
import { EarlyExitRepository } from './school-times/early-exit.repository.js';
import { SchoolTimeRepository } from './school-times/school-time.repository.js';
import { BlockedCallRepository } from './strangers/blocked-call.repository.js';
import { StrangerRuleRepository } from './strangers/stranger-rule.repository.js';
import { SettingsVersionRepository } from './versions/settings-version.repository.js';

/** Deletes the settings and call logs of an erased child. */
@Injectable()
export class EraseChildWatchSettingsHandler
  implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit
{
  readonly name = 'userctx.watch-settings.erase-child';
  readonly event = 'userctx.child.erased' as const;
  private readonly repositories: readonly { erase(cid: string): Promise<void> }[];

  constructor(
    private readonly consumer: UserctxEventConsumer,
    versions: SettingsVersionRepository,
    alarms: AlarmClockRepository,
    schoolTimes: SchoolTimeRepository,
    earlyExits: EarlyExitRepository,
    strangers: StrangerRuleRepository,
    blockedCalls: BlockedCallRepository,
    device: DeviceSettingsRepository,
  ) {
    this.repositories = [versions, alarms, schoolTimes, earlyExits, strangers, blockedCalls, device];
  }

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    for (const repository of this.repositories) await repository.erase(cid);
  }
}
