import { Injectable } from '@nestjs/common';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { evaluateFences, evaluateLateFixes } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvaluation, FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import { usableFixes } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { FlaggedPoint } from '@family-watch/domain/fences/evaluation/usable-fixes';
import { compareFixes } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import { pointKeyOf } from '../locations/point-key.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import type { ChildKey } from './fence.repository.js';
import { FenceEventRepository } from './fence-event.repository.js';
import { FenceEventPublisherService } from './fence-event-publisher.service.js';
import { FenceTrackRepository } from './fence-track.repository.js';
import type { TrackFix, TrackRange } from './fence-track.repository.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import type { MonitoredChild } from './fence-monitor.repository.js';
import { toFenceStates, toStoredFenceStates } from './stored-fence-states.js';

/** What one child's watch reported and was not stored before, in any order. */
export interface FencePoints extends ChildKey {
  did: number;
  points: readonly FlaggedPoint[];
  /** Unix milliseconds. */
  receivedAt: number;
}

/** Points that lie further behind the newest one are in the track and trip nothing any more. Milliseconds. */
const LATE_HORIZON = 24 * 3_600_000;

/**
 * So often, fixes times fences, it is looked again at what was judged before: with twenty fences at 10,000 fixes, which
 * are half a day of one every five seconds. Whoever sends more bounds how late a point may be, not what others wait.
 */
const MAX_REJUDGED = 200_000;

interface Judging {
  child: MonitoredChild;
  fences: readonly CompiledFence[];
  reports: readonly FencePoints[];
  /** In the order of their times. */
  fixes: readonly Fix[];
}

/** Watches over the fences of children as their positions come in. */
@Injectable()
export class FenceMonitorService {
  constructor(
    private readonly watched: FenceMonitorRepository,
    private readonly compiled: CompiledFencesService,
    private readonly tracks: FenceTrackRepository,
    private readonly told: FenceEventRepository,
    private readonly telling: FenceEventPublisherService,
  ) {}

  /**
   * Judges what was stored, inside the unit of work that stores it and with every child locked: the states of the
   * fences, the log and the events are committed with the points. Children without fences cost a lookup together.
   */
  async evaluate(batch: readonly FencePoints[]): Promise<void> {
    if (batch.length === 0) return;
    const children = await this.watched.find(batch);
    if (children.length === 0) return;
    const compiled = await this.compiled.findByChildren(children);
    const reports = Map.groupBy(batch, ({ cid }) => cid);
    const judging = children
      .map((child) => judgingOf(child, compiled.get(child.cid) ?? [], reports.get(child.cid) ?? []))
      .filter(({ fences, fixes }) => fences.length > 0 && fixes.length > 0);
    const pasts = await this.pastsOf(judging.filter(isLate));
    const evaluated = judging.map((one) => ({ ...one, ...judge(one, pasts.get(one.child.cid)) }));
    await this.watched.save(evaluated.map(after));
    await this.telling.publish(
      evaluated.map(({ child: { familyId, cid }, fences, events, reports: [report] }) => ({
        familyId,
        cid,
        fences,
        events,
        did: report?.did ?? 0,
        knownAt: report?.receivedAt ?? 0,
      })),
    );
  }

  /** What is known of the time that late points are about, by child. */
  private async pastsOf(late: readonly Judging[]): Promise<Map<string, Past>> {
    if (late.length === 0) return new Map();
    const ranges = late.map(({ child: { familyId, cid, lastTime }, fixes, fences }) => ({
      familyId,
      cid,
      from: fixes[0]?.time ?? 0,
      to: lastTime ?? 0,
      // The new points may be among the stored ones already.
      most: Math.ceil(MAX_REJUDGED / fences.length) + fixes.length,
    }));
    const found = Map.groupBy(await this.tracks.findAround(ranges), ({ cid }) => cid);
    const tracks = ranges.map((range) => ({ ...range, ...knownOf(found.get(range.cid) ?? [], range) }));
    const since = tracks.map(({ familyId, cid, from, track }) => ({
      familyId,
      cid,
      since: track[0]?.fix.time ?? from,
    }));
    const told = Map.groupBy(await this.told.findPublishedSince(since), ({ cid }) => cid);
    return new Map(tracks.map(({ cid, track, behind }) => [cid, { track, behind, told: told.get(cid) ?? [] }]));
  }
}

function judgingOf(child: MonitoredChild, fences: readonly CompiledFence[], reports: readonly FencePoints[]): Judging {
  const oldest = (child.lastTime ?? 0) - LATE_HORIZON;
  const fixes = usableFixes(reports.flatMap(({ points }) => points)).filter(({ time }) => time >= oldest);
  return { child, fences, reports, fixes };
}

/** What was judged around the time of late points, in the order of time. */
interface Known {
  track: readonly TrackFix[];
  /** Points of up to then are too late. Unix milliseconds. */
  behind: number;
}

/** The same, and what was told. */
interface Past extends Known {
  told: readonly FenceEvent[];
}

/** With more after the late points than is looked at again, nothing is known of before it. */
function knownOf(found: readonly TrackFix[], { from, most }: TrackRange): Known {
  const track = found.toSorted((a, b) => compareFixes(a.fix, b.fix));
  const since = track.filter(({ fix }) => fix.time >= from);
  return since.length < most ? { track, behind: -Infinity } : { track: since, behind: since[0]?.fix.time ?? from };
}

function isLate({ child: { lastTime }, fixes: [oldest] }: Judging): boolean {
  return lastTime !== null && oldest !== undefined && oldest.time <= lastTime;
}

function judge({ child: { states: stored, timeZone }, fences, reports, fixes }: Judging, past?: Past): FenceEvaluation {
  const states = toFenceStates(fences, stored);
  if (!past) return evaluateFences(fences, states, fixes, timeZone);
  const fresh = new Set(reports.flatMap(({ did, points }) => points.map(({ point }) => pointKeyOf({ did, point }))));
  const known = past.track.flatMap(({ key, fix }) => (fresh.has(key) ? [] : [fix]));
  const late = fixes.filter(({ time }) => time > past.behind);
  return evaluateLateFixes(fences, states, { known, late }, { before: past.told, timeZone });
}

function after({ child, fences, fixes, states }: Judging & FenceEvaluation): MonitoredChild {
  const lastTime = Math.max(child.lastTime ?? 0, fixes.at(-1)?.time ?? 0);
  return { ...child, states: toStoredFenceStates(fences, states), lastTime, nextDwell: nextDwellTime(fences, states) };
}
