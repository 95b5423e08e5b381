import { Injectable } from '@nestjs/common';
import { dayIn } from '@family-watch/domain/kernel/contracts/calendar-day';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { WATCH_SHUTDOWN_CAUSE } from '@family-watch/domain/watches/contracts/watch.events';
import type { WatchEvents, WatchStatus } from '@family-watch/domain/watches/contracts/watch.events';
import type { StoredWatchStatus } from '@family-watch/domain/watches/entities/watch-status.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { ChildDirectory } from '../../children/child-directory.service.js';
import { stepsBetween } from './step-count.js';
import { StepDayRepository } from './step-day.repository.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { WatchStatusRepository } from './watch-status.repository.js';
import { WatchRepository } from '../watch.repository.js';

type StatusReport = WatchEvents['gateway.watch.status-reported'];
type Start = WatchEvents['gateway.watch.started'];
type PresenceChange = WatchEvents['gateway.watch.presence-changed'];
type ShutDown = WatchEvents['gateway.watch.shut-down'];

/** A report by REST tells of steps alone. */
const NOTHING_ELSE: Omit<WatchStatus, 'stepTotal'> = {
  battery: null,
  charging: null,
  worn: null,
  signal: null,
  signalMax: null,
  firmwareVersion: null,
};

/** What watches say of themselves; events are handled in the unit of work that they come in. */
@Injectable()
export class WatchStatusService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly statuses: WatchStatusRepository,
    private readonly steps: StepDayRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly watches: WatchRepository,
    private readonly children: ChildDirectory,
  ) {}

  /** @throws ServiceError WATCH_UNBOUND: an unbound watch can only be bound. */
  async reportSteps(did: number, stepTotal: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.bindings.findActive(did))) throw new ServiceError('WATCH_UNBOUND');
      await this.report({ ...NOTHING_ELSE, did, stepTotal, time: Date.now() });
    });
  }

  async report(report: StatusReport): Promise<void> {
    const before = await this.statuses.findLocked(report.did);
    if (before?.reportedAt != null && before.reportedAt >= report.time) return;
    await this.countSteps(report, before);
    await this.statuses.record(report.did, report, report.time);
    await this.watches.touch(report.did, report.time);
  }

  async started({ did, time }: Start): Promise<void> {
    await this.statuses.recordSeen(did, time);
    await this.watches.touch(did, time);
  }

  /** Who lost the connection was not seen at that time, but before. */
  async shutDown({ did, time, cause }: ShutDown): Promise<void> {
    if (cause !== WATCH_SHUTDOWN_CAUSE.LOST_CONNECTION) await this.statuses.recordSeen(did, time);
  }

  async presenceChanged({ did, online, time, lastSeen }: PresenceChange): Promise<void> {
    await this.statuses.recordPresence(did, online, time, lastSeen);
  }

  /** Steps count for the day on which they were reported: the counter does not say when they were made. */
  private async countSteps({ did, time, stepTotal }: StatusReport, before: StoredWatchStatus | null): Promise<void> {
    const binding = stepTotal === null ? null : await this.bindings.findAt(did, time);
    if (!binding || stepTotal === null) return;
    const previous =
      before?.stepTotal != null && before.stepsAt != null ? { total: before.stepTotal, time: before.stepsAt } : null;
    const steps = stepsBetween(previous, { total: stepTotal, time }, binding.boundAt);
    const timeZone = steps > 0 ? await this.children.findTimeZone(binding.familyId, binding.cid) : null;
    if (timeZone !== null) await this.steps.add({ cid: binding.cid, day: dayIn(timeZone, time), steps });
  }
}
