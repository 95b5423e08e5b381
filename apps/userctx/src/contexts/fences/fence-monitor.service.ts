import { Injectable } from '@nestjs/common';
import { evaluateFences, evaluateLateFixes } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvaluation, FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { usableFixes } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { FlaggedPoint } from '@family-watch/domain/fences/evaluation/usable-fixes';
import { compareFixes } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import { pointKeyOf } from '../locations/stored-point.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import { FenceEventPublisherService } from './fence-event-publisher.service.js';
import { FenceMonitorRepository, toFenceStates, toStoredFenceStates } from './fence-monitor.repository.js';
import type { MonitoredChild, TrackFix, TrackRange } from './fence-monitor.repository.js';
import { FenceRepository } from './fence.repository.js';
import type { ChildKey } from './fence.repository.js';

/** New points reported by one child's watch, in any order. */
export interface FencePoints extends ChildKey {
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
 * half a day at one fix every five seconds. The limit prevents that the late points of one child delay other children.
 */
const MAX_REEVALUATIONS = 200_000;

interface ChildEvaluation {
  child: MonitoredChild;
  fences: readonly CompiledFence[];
  reports: readonly FencePoints[];
  /** Ordered by time. */
  fixes: readonly Fix[];
}

/** Evaluates the fences of children for incoming points. */
@Injectable()
export class FenceMonitorService {
  constructor(
    private readonly monitors: FenceMonitorRepository,
    private readonly compiled: CompiledFencesService,
    private readonly fences: FenceRepository,
    private readonly publisher: FenceEventPublisherService,
  ) {}

  /**
   * Evaluates new points. Must be called in the transaction that stores the points, with every child locked: fence
   * states and events are committed with the points. All children without fences together cost one query.
   */
  async evaluate(batch: readonly FencePoints[]): Promise<void> {
    if (batch.length === 0) return;
    const children = await this.monitors.find(batch);
    if (children.length === 0) return;
    const compiled = await this.compiled.findByChildren(children);
    const reports = Map.groupBy(batch, ({ cid }) => cid);
    const evaluations = children
      .map((child) => createEvaluation(child, compiled.get(child.cid) ?? [], reports.get(child.cid) ?? []))
      .filter(({ fences, fixes }) => fences.length > 0 && fixes.length > 0);
    const histories = await this.findHistories(evaluations.filter(isLate));
    const evaluated = evaluations.map((evaluation) => ({
      ...evaluation,
      ...evaluate(evaluation, histories.get(evaluation.child.cid)),
    }));
    await this.monitors.save(evaluated.map(toMonitoredChild));
    await this.publisher.publish(
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

  /** Returns the stored track and the published events around late points, by child. */
  private async findHistories(late: readonly ChildEvaluation[]): Promise<Map<string, FenceHistory>> {
    if (late.length === 0) return new Map();
    const ranges = late.map(({ child: { familyId, cid, lastTime }, fixes, fences }) => ({
      familyId,
      cid,
      from: fixes[0]?.time ?? 0,
      to: lastTime ?? 0,
      // The stored fixes may already include the fixes to evaluate.
      maxFixes: Math.ceil(MAX_REEVALUATIONS / fences.length) + fixes.length,
    }));
    const found = Map.groupBy(await this.monitors.findTracks(ranges), ({ cid }) => cid);
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
}

function createEvaluation(
  child: MonitoredChild,
  fences: readonly CompiledFence[],
  reports: readonly FencePoints[],
): ChildEvaluation {
  const oldest = (child.lastTime ?? 0) - MAX_LATENESS_MS;
  const fixes = usableFixes(reports.flatMap(({ points }) => points)).filter(({ time }) => time >= oldest);
  return { child, fences, reports, fixes };
}

/** The stored track around late points, ordered by time. */
interface StoredTrack {
  track: readonly TrackFix[];
  /** Points up to this time are too late to be evaluated. Unix milliseconds. */
  cutoff: number;
}

/** The stored track and the events published for it. */
interface FenceHistory extends StoredTrack {
  published: readonly FenceEvent[];
}

/**
 * Sorts the stored fixes. Moves the cutoff forward when too many stored fixes after the late points would have to be
 * evaluated again.
 */
function selectTrack(found: readonly TrackFix[], { from, maxFixes }: TrackRange): StoredTrack {
  const track = found.toSorted((a, b) => compareFixes(a.fix, b.fix));
  const since = track.filter(({ fix }) => fix.time >= from);
  return since.length < maxFixes ? { track, cutoff: -Infinity } : { track: since, cutoff: since[0]?.fix.time ?? from };
}

function isLate({ child: { lastTime }, fixes: [oldest] }: ChildEvaluation): boolean {
  return lastTime !== null && oldest !== undefined && oldest.time <= lastTime;
}

function evaluate(evaluation: ChildEvaluation, history?: FenceHistory): FenceEvaluation {
  const { fences, reports, fixes } = evaluation;
  const { states: stored, timeZone } = evaluation.child;
  const states = toFenceStates(fences, stored);
  if (!history) return evaluateFences(fences, states, fixes, timeZone);
  const newKeys = new Set(reports.flatMap(({ did, points }) => points.map(({ point }) => pointKeyOf({ did, point }))));
  const known = history.track.flatMap(({ key, fix }) => (newKeys.has(key) ? [] : [fix]));
  const late = fixes.filter(({ time }) => time > history.cutoff);
  return evaluateLateFixes(
    fences,
    states,
    { evaluatedFixes: known, lateFixes: late },
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
