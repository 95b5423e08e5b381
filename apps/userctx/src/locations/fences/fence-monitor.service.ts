import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  evaluateFences,
  evaluateLateFixes,
  nextExpectedArrival,
  evaluateMissedArrivals,
  evaluateDwell,
  type FenceEvaluation,
  type FenceEvent,
} from './evaluation/evaluate-fences.js';
import { nextDwellTime, compileFences, type CompiledFence } from './evaluation/fence-state.js';
import { usableFixes, type FlaggedPoint } from './evaluation/usable-fixes.js';
import { compareFixes, type Fix } from './geometry/compile-shape.js';
import { isDatabaseOutageError } from '@family-watch/platform/errors/database-errors';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { readPages } from '@family-watch/platform/jobs/process-rows';
import { UserctxUnitOfWork, UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from '../../families/family-roster.service.js';
import { LATE_AFTER_MS } from '../point-assessment.js';
import { pointKeyOf } from '../stored-point.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import {
  FenceRepository,
  toFenceStates,
  toStoredFenceStates,
  type MonitoredChild,
  type TrackFix,
  type TrackRange,
  type RecordedFenceEvent,
} from './fence.repository.js';

/** New points reported by one child's watch, in any order. */
export interface ReportedFencePoints extends ChildKey {
  did: number;
  points: readonly FlaggedPoint[];
  /** Unix milliseconds. */
  receivedAt: number;
}

/**
 * Milliseconds. Maximum age of a point relative to the newest fix. An older point is stored in the track but triggers
 * no fence events.
 */
const MAX_LATENESS_MS = 24 * 3_600_000;

/**
 * Maximum number of evaluations (fixes times fences) for late points. With twenty fences the limit allows 10,000 fixes:
 * half a day at one fix every five seconds. Without the limit, the late points of one child would delay other children.
 */
const MAX_REEVALUATIONS = 200_000;

/** The fences, reports and fixes with which one child is evaluated. */
interface ChildEvaluation {
  child: MonitoredChild;
  fences: readonly CompiledFence[];
  reports: readonly ReportedFencePoints[];
  /** The fixes of `reports` that are evaluated, ordered by time. */
  fixes: readonly Fix[];
}

/**
 * Milliseconds. Delay with which fences are evaluated after a due time, because a fix from before the due time may
 * still be in transit.
 */
const EVALUATION_DELAY_MS = 30_000;

const DUE_EVALUATION_INTERVAL_MS = 10_000;
const DUE_EVALUATION_BATCH_SIZE = 100;

interface EvaluatedChild {
  child: MonitoredChild;
  events: FenceEvent[];
}

const RETENTION_INTERVAL_MS = 3_600_000;

const DAY_MS = 86_400_000;

/**
 * Evaluates the fences of children for incoming points. Also maintains due times, at which fences are evaluated without
 * a new point: DWELLED is published when a stay reaches the dwell time, NOT_ARRIVED when a child has not arrived in
 * time.
 */
@Injectable()
export class FenceMonitorService {
  private readonly logger = new Logger(FenceMonitorService.name);

  constructor(
    private readonly compiledFences: CompiledFencesService,
    private readonly fences: FenceRepository,
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    @Inject(Environment) private readonly environment: Pick<Environment, 'RETENTION_LOCATION_DAYS'>,
  ) {}

  /** Returns the fence states of the children that have fences, for {@link evaluate}; the children must be locked. */
  findMonitored(children: readonly ChildKey[]): Promise<MonitoredChild[]> {
    return this.fences.findMonitored(children);
  }

  /**
   * Evaluates new points. Must be called in the transaction that stores the points, with every child locked, so that
   * fence states and events are committed with the points. No query is executed for children without fences.
   * @param monitored - the stored fence states; children without new points are ignored
   */
  async evaluate(monitored: readonly MonitoredChild[], batch: readonly ReportedFencePoints[]): Promise<void> {
    const reports = Map.groupBy(batch, ({ cid }) => cid);
    const children = monitored.filter(({ cid }) => reports.has(cid));
    if (children.length === 0) return;
    const compiled = await this.compiledFences.findByChildren(children);
    const evaluations = children
      .map((child) => createEvaluation(child, compiled.get(child.cid) ?? [], reports.get(child.cid) ?? []))
      .filter(({ fences, fixes }) => fences.length > 0 && fixes.length > 0);
    const histories = await this.findHistories(evaluations.filter(isLate));
    const evaluated = evaluations.map((evaluation) => ({
      ...evaluation,
      ...evaluateFixes(evaluation, histories.get(evaluation.child.cid)),
    }));
    await this.fences.saveMonitored(evaluated.map(toMonitoredChild));
    await this.publishEvents(
      evaluated.map(({ child: { familyId, cid }, fences, events, reports: [report] }) => ({
        familyId,
        cid,
        fences,
        events,
        did: report?.did ?? 0,
        detectedAt: report?.receivedAt ?? 0,
      })),
    );
  }

  /**
   * Recomputes the due times after the child's fences change. Must be called in the transaction of the change, with the
   * child locked.
   */
  async onFencesChanged(child: ChildKey): Promise<void> {
    await this.fences.incrementVersion(child);
    await this.recomputeDueTimes(child, false);
  }

  /**
   * Recomputes the due times after the child's watch or time zone changes.
   * @param reset whether to discard the stored states, because the child's location is now unknown
   */
  async onWatchOrTimeZoneChanged(child: ChildKey, { reset }: { reset: boolean }): Promise<void> {
    await this.fences.lockChild(child.cid);
    await this.recomputeDueTimes(child, reset);
  }

  /** Evaluates the fences whose due time has passed. A child whose evaluation fails stays due. */
  @OnJob('userctx.fences.evaluate-due', { intervalMs: DUE_EVALUATION_INTERVAL_MS })
  async evaluateDue(now: number): Promise<void> {
    const until = now - EVALUATION_DELAY_MS;
    const pages = readPages<ChildKey>((after) => this.fences.findDue(until, DUE_EVALUATION_BATCH_SIZE, after));
    for await (const due of pages) await this.evaluateDueChildren(due, now);
  }

  /** Deletes fence events after the retention of location points, because they reveal where a child was too. */
  @OnJob('userctx.fences.delete-old-events', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOldEvents(now: number): Promise<void> {
    await this.fences.deleteEventsBefore(now - this.environment.RETENTION_LOCATION_DAYS * DAY_MS);
  }

  /** Returns, by child, the stored track around the late points and the events published for this part of the track. */
  private async findHistories(late: readonly ChildEvaluation[]): Promise<Map<string, FenceHistory>> {
    if (late.length === 0) return new Map();
    const ranges = late.map(({ child: { familyId, cid, lastTime }, fixes, fences }) => ({
      familyId,
      cid,
      from: fixes[0]?.time ?? 0,
      to: lastTime ?? 0,
      // The limit is raised by the number of new fixes, because these may be among the stored fixes.
      maxFixes: Math.ceil(MAX_REEVALUATIONS / fences.length) + fixes.length,
    }));
    const found = Map.groupBy(await this.fences.findTracks(ranges), ({ cid }) => cid);
    const tracks = ranges.map((range) => ({ ...range, ...selectTrack(found.get(range.cid) ?? [], range) }));
    const starts = tracks.map(({ familyId, cid, from, track }) => ({
      familyId,
      cid,
      since: track[0]?.fix.time ?? from,
    }));
    const published = Map.groupBy(await this.fences.findPublishedEvents(starts), ({ cid }) => cid);
    return new Map(
      tracks.map(({ cid, track, cutoff }) => [cid, { track, cutoff, published: published.get(cid) ?? [] }]),
    );
  }

  private async recomputeDueTimes(child: ChildKey, reset: boolean): Promise<void> {
    const [row] = await this.fences.findMonitored([child]);
    if (!row) return;
    const fences = compileFences(await this.fences.findByChild(child));
    const states = toFenceStates(fences, reset ? [] : row.states);
    const hasWatch = row.did !== null;
    await this.fences.saveMonitored([
      {
        ...row,
        states: toStoredFenceStates(fences, states),
        nextDwellAt: hasWatch ? nextDwellTime(fences, states) : null,
        nextArrivalDueAt: hasWatch ? nextExpectedArrival(fences, row.timeZone, Date.now() - EVALUATION_DELAY_MS) : null,
      },
    ]);
  }

  /** Evaluates the children. If the evaluation fails, halves and retries them until only the failing children remain. */
  private async evaluateDueChildren(children: readonly ChildKey[], now: number): Promise<void> {
    try {
      await this.evaluateBatch(children, now);
    } catch (error) {
      if (isDatabaseOutageError(error)) throw error;
      if (children.length === 1) {
        this.logger.error({ msg: 'Fence evaluation failed', cid: children[0]?.cid, err: error });
        return;
      }
      const half = children.length >> 1;
      await this.evaluateDueChildren(children.slice(0, half), now);
      await this.evaluateDueChildren(children.slice(half), now);
    }
  }

  private evaluateBatch(children: readonly ChildKey[], now: number): Promise<void> {
    return this.unitOfWork.run(async () => {
      const until = now - EVALUATION_DELAY_MS;
      const due = await this.fences.findMonitored(await this.fences.tryLock(children));
      const compiled = await this.compiledFences.findByChildren(due);
      const evaluated = due.map((child) => evaluateDueChild(child, compiled.get(child.cid) ?? [], until));
      await this.fences.saveMonitored(evaluated.map(({ child }) => child));
      await this.publishEvents(
        evaluated.map(({ child: { familyId, cid, did }, events }) => ({
          familyId,
          cid,
          did: did ?? 0,
          events,
          detectedAt: now,
          fences: compiled.get(cid) ?? [],
        })),
      );
    });
  }

  /** Stores events and publishes those that were not stored before. */
  private async publishEvents(batches: readonly FenceEventBatch[]): Promise<void> {
    const events = batches.flatMap(toRecords);
    if (events.length === 0) return;
    const added = await this.fences.addEvents(events, Date.now());
    const newEvents = events.filter(({ fenceEventId }) => added.has(fenceEventId));
    await this.outbox.appendMany(
      newEvents.map(({ fenceName, ...payload }) => ({
        name: 'userctx.fence.triggered' as const,
        key: payload.familyId,
        payload,
      })),
    );
  }
}

function createEvaluation(
  child: MonitoredChild,
  fences: readonly CompiledFence[],
  reports: readonly ReportedFencePoints[],
): ChildEvaluation {
  const oldest = (child.lastTime ?? 0) - MAX_LATENESS_MS;
  const fixes = usableFixes(reports.flatMap(({ points }) => points)).filter(({ time }) => time >= oldest);
  return { child, fences, reports, fixes };
}

/** The stored track around late points, ordered by time. */
interface StoredTrack {
  track: readonly TrackFix[];
  /** Late points up to this time are not evaluated, because too many later fixes would follow. Unix milliseconds. */
  cutoff: number;
}

/** The stored track around late points, and the events published for this part of the track. */
interface FenceHistory extends StoredTrack {
  published: readonly FenceEvent[];
}

/**
 * Sorts the stored fixes of a child. When more stored fixes follow the late points than may be evaluated again, sets
 * the cutoff to the first of the newest fixes.
 */
function selectTrack(found: readonly TrackFix[], { from, maxFixes }: TrackRange): StoredTrack {
  const track = found.toSorted((a, b) => compareFixes(a.fix, b.fix));
  const since = track.filter(({ fix }) => fix.time >= from);
  return since.length < maxFixes ? { track, cutoff: -Infinity } : { track: since, cutoff: since[0]?.fix.time ?? from };
}

function isLate({ child: { lastTime }, fixes: [oldest] }: ChildEvaluation): boolean {
  return lastTime !== null && oldest !== undefined && oldest.time <= lastTime;
}

/** @param history required when some of the fixes are late */
function evaluateFixes(evaluation: ChildEvaluation, history?: FenceHistory): FenceEvaluation {
  const { fences, reports, fixes } = evaluation;
  const { states: stored, timeZone } = evaluation.child;
  const states = toFenceStates(fences, stored);
  if (!history) return evaluateFences(fences, states, fixes, timeZone);
  const newKeys = new Set(reports.flatMap(({ did, points }) => points.map(({ point }) => pointKeyOf({ did, point }))));
  const evaluatedFixes = history.track.flatMap(({ key, fix }) => (newKeys.has(key) ? [] : [fix]));
  const lateFixes = fixes.filter(({ time }) => time > history.cutoff);
  return evaluateLateFixes(
    fences,
    states,
    { evaluatedFixes, lateFixes },
    { reportedEvents: history.published, timeZone },
  );
}

function toMonitoredChild({ child, fences, fixes, states }: ChildEvaluation & FenceEvaluation): MonitoredChild {
  const lastTime = Math.max(child.lastTime ?? 0, fixes.at(-1)?.time ?? 0);
  return {
    ...child,
    states: toStoredFenceStates(fences, states),
    lastTime,
    nextDwellAt: nextDwellTime(fences, states),
  };
}

function evaluateDueChild(child: MonitoredChild, fences: readonly CompiledFence[], until: number): EvaluatedChild {
  // The location of a child without a watch is unknown, so the child is not expected anywhere.
  if (child.did === null) return { child: { ...child, nextDwellAt: null, nextArrivalDueAt: null }, events: [] };
  const { timeZone, lastTime, nextArrivalDueAt } = child;
  const dwell = evaluateDwell(fences, toFenceStates(fences, child.states), until);
  const isDue = nextArrivalDueAt !== null && nextArrivalDueAt <= until;
  const range = { after: (nextArrivalDueAt ?? until) - 1, until };
  const missedArrivals = isDue ? evaluateMissedArrivals(fences, dwell.states, range, { lastTime, timeZone }) : [];
  return {
    child: {
      ...child,
      states: toStoredFenceStates(fences, dwell.states),
      nextDwellAt: nextDwellTime(fences, dwell.states),
      nextArrivalDueAt: isDue ? nextExpectedArrival(fences, timeZone, until) : nextArrivalDueAt,
    },
    events: [...dwell.events, ...missedArrivals],
  };
}

/** Fence events of one child. */
interface FenceEventBatch extends ChildKey {
  did: number;
  fences: readonly CompiledFence[];
  events: readonly FenceEvent[];
  /** When the events were detected, Unix milliseconds. */
  detectedAt: number;
}

function toRecords({ familyId, cid, did, fences, events, detectedAt }: FenceEventBatch): RecordedFenceEvent[] {
  return events.flatMap(({ fenceId, type, time }) => {
    const fence = fences.find((candidate) => candidate.fenceId === fenceId);
    if (!fence) return [];
    const fenceEventId = deriveEventId(fence, type, time);
    const late = detectedAt - time > LATE_AFTER_MS;
    return [{ fenceEventId, familyId, cid, did, fenceId, fenceName: fence.name, type, time, late }];
  });
}

/** Derives the event's id from its contents, so that an event that is detected repeatedly gets the same id. */
function deriveEventId({ fenceId, activeFrom }: CompiledFence, type: string, time: number): string {
  const digest = createHash('sha256').update(`${fenceId}/${activeFrom}/${type}/${time}`).digest('hex');
  // A UUID of version 8, which allows custom contents.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
  return [...parts, `8${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
