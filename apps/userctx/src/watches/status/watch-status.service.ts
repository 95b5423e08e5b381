import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { WATCH_SHUTDOWN_CAUSE, type WatchEvents } from '@family-watch/domain/watches/contracts/watch';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { ChildrenService } from '../../families/children/children.service.js';
import { WatchBindingRepository, type EffectiveBinding } from '../binding/watch-binding.repository.js';
import { WatchRepository } from '../watch.repository.js';
import { stepsBetween, stepsByDay, type CounterReading } from './step-count.js';
import { WatchStatusRepository } from './watch-status.repository.js';

type StatusReport = WatchEvents['gateway.watch.status-reported'];
type WatchStarted = WatchEvents['gateway.watch.started'];
type PresenceChange = WatchEvents['gateway.watch.presence-changed'];
type WatchShutDown = WatchEvents['gateway.watch.shut-down'];

/** Processes status reports of watches. Each event is handled in the transaction that records it in the inbox. */
@Injectable()
export class WatchStatusService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly statuses: WatchStatusRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly watches: WatchRepository,
    private readonly children: ChildrenService,
  ) {}

  /**
   * Stores a reading of the step counter.
   * @throws ServiceError WATCH_UNBOUND
   */
  async reportSteps(did: number, stepTotal: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.bindings.findActive(did))) throw new ServiceError('WATCH_UNBOUND');
      const time = Date.now();
      await this.countSteps(did, { total: stepTotal, time });
      await this.watches.recordContact(did, time);
    });
  }

  async recordStatus(report: StatusReport): Promise<void> {
    const { did, stepTotal, time } = report;
    // Readings are ordered by the time at which the watch took them, because they arrive by events and by REST.
    if (stepTotal !== null) await this.countSteps(did, { total: stepTotal, time });
    await this.statuses.recordStatus(did, report, time);
    await this.watches.recordContact(did, time);
  }

  async recordStart({ did, time }: WatchStarted): Promise<void> {
    await this.statuses.recordContact(did, time);
    await this.watches.recordContact(did, time);
  }

  /**
   * Stores `time` as the last contact of the watch, unless the cause is a lost connection: the last contact was then
   * before `time`.
   */
  async recordShutdown({ did, time, cause }: WatchShutDown): Promise<void> {
    if (cause !== WATCH_SHUTDOWN_CAUSE.LOST_CONNECTION) await this.statuses.recordContact(did, time);
  }

  async recordPresence({ did, online, time, lastSeen }: PresenceChange): Promise<void> {
    await this.statuses.recordPresence(did, online, time, lastSeen);
  }

  private async countSteps(did: number, reading: CounterReading): Promise<void> {
    // The row must exist to be locked: two first readings at the same time must not both count as a whole.
    await this.statuses.recordContact(did, reading.time);
    const before = await this.statuses.findLocked(did);
    const binding = await this.bindings.findAt(did, reading.time);
    const previous = before?.stepsAt == null ? null : { total: before.stepTotal, time: before.stepsAt };
    const steps = binding ? stepsBetween(previous, reading, binding) : 0;
    if (binding && steps)
      await this.addSteps(binding, steps, Math.max(previous?.time ?? 0, binding.boundAt), reading.time);
    await this.statuses.recordSteps(did, steps === null ? { ...reading, total: null } : reading);
  }

  private async addSteps({ familyId, cid }: EffectiveBinding, steps: number, from: number, to: number): Promise<void> {
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (timeZone === null) return;
    for (const daySteps of stepsByDay(steps, from, to, timeZone)) await this.statuses.addSteps({ cid, ...daySteps });
  }
}
