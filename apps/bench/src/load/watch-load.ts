import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { EventResponse } from '@family-watch/domain/messages/contracts/socket-events';
import type { LocationEnvironment } from '../benches/location-environment.js';
import type { SeededFamily } from '../servers/userctx-seed.js';
import { LocationSession } from './location-session.js';
import { STEPS_PER_WALK, walkedPoint } from './walked-point.js';
import { WATCH_HEARTBEAT } from './gateway-session.js';

const CONNECT_BATCH_SIZE = 100;
const SEND_TIMER_INTERVAL_MS = 1;
/** Interval between the points that a disconnected watch stores. */
const STORED_POINT_INTERVAL_MS = 100;

interface WalkingWatch {
  family: SeededFamily;
  watch: LocationSession;
  steps: number;
}

interface LocationPayload {
  cid: string;
  location: Location;
}

/**
 * Watches that report points at a fixed rate, independent of the servers' responses, and parents who receive the
 * points. Latency counts from the time when a report was due to be sent, so a stall counts for every delayed report.
 */
export class WatchLoad {
  /** Number of reports that were sent, acknowledged to the watch, and delivered to the parent. */
  sent = 0;
  acknowledged = 0;
  delivered = 0;
  /** Milliseconds from the time when a report was due to be sent until the parent had it. */
  readonly parentLatencies: number[] = [];
  /** Milliseconds from the time when a report was due to be sent until its acknowledgement. */
  readonly acknowledgementLatencies: number[] = [];
  /** Number of rejected reports by reason. */
  readonly rejections = new Map<string, number>();
  /** Due time of each report that the parent has not received yet, by `<cid>/<positionTime>`. */
  private readonly dueTimeByReport = new Map<string, number>();
  /** `positionTime` of the newest point of each child, until its parent has received it. */
  private readonly undeliveredTimeByChild = new Map<string, number>();
  private readonly walkingWatches: WalkingWatch[] = [];
  private readonly parents: LocationSession[] = [];
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly environment: LocationEnvironment) {}

  static async connect(environment: LocationEnvironment): Promise<WatchLoad> {
    const watches = new WatchLoad(environment);
    for (let start = 0; start < environment.families.length; start += CONNECT_BATCH_SIZE) {
      const batch = environment.families.slice(start, start + CONNECT_BATCH_SIZE);
      await Promise.all(batch.map((family) => watches.connectFamily(family)));
    }
    return watches;
  }

  /** Reports one point per watch in turn, `perSecond` points of all watches together. */
  start(perSecond: number): void {
    const startedAt = performance.now();
    const sentBefore = this.sent;
    this.timer = setInterval(() => {
      const due = sentBefore + Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
      while (this.sent < due) {
        const dueAt = startedAt + ((this.sent - sentBefore) * 1_000) / perSecond;
        this.reportNext(dueAt);
      }
    }, SEND_TIMER_INTERVAL_MS);
  }

  /** Discards the measurements so far, for example those of the warm-up. */
  resetMeasurements(): void {
    this.parentLatencies.length = 0;
    this.acknowledgementLatencies.length = 0;
  }

  /**
   * Stops reporting and waits for pending points.
   *
   * @returns whether the newest point of every watch reached its parent before the timeout
   */
  async finish(timeoutMs: number): Promise<boolean> {
    clearInterval(this.timer);
    const end = performance.now() + timeoutMs;
    while (this.undeliveredTimeByChild.size > 0 || this.acknowledged < this.sent) {
      if (performance.now() > end) return false;
      await sleep(20);
    }
    return true;
  }

  /**
   * Sends `pointsPerWatch` stored points from each watch, as a watch does after a disconnection. Resolves with the
   * milliseconds until every parent has received the newest point, or with the milliseconds until the timeout.
   */
  async sendBurst(pointsPerWatch: number, timeoutMs: number): Promise<number> {
    // The points of the burst must be newer than the points already sent.
    await sleep((pointsPerWatch + 1) * STORED_POINT_INTERVAL_MS);
    const startedAt = performance.now();
    for (const walker of this.walkingWatches) {
      const now = Date.now();
      const points = Array.from({ length: pointsPerWatch }, (_, index) =>
        walkedPoint(++walker.steps, now - (pointsPerWatch - 1 - index) * STORED_POINT_INTERVAL_MS),
      );
      this.send(walker, points, startedAt);
    }
    await this.finish(timeoutMs);
    return performance.now() - startedAt;
  }

  /** Number of children whose parent has not received the newest point. */
  get undeliveredCount(): number {
    return this.undeliveredTimeByChild.size;
  }

  get lostConnections(): number {
    return [...this.walkingWatches.map(({ watch }) => watch), ...this.parents].filter((session) => session.isLost)
      .length;
  }

  close(): void {
    clearInterval(this.timer);
    for (const session of [...this.walkingWatches.map(({ watch }) => watch), ...this.parents]) session.close();
  }

  private async connectFamily(family: SeededFamily): Promise<void> {
    const { endpoint } = this.environment.gateway;
    const onFrame = (frame: MessagesFrame): void => this.onFrame(frame);
    const parent = await LocationSession.open(endpoint, await this.environment.issueToken('user', family.userId), {
      onFrame,
    });
    this.parents.push(parent);
    const token = await this.environment.issueToken('watch', String(family.children[0]?.did));
    const watch = await LocationSession.open(endpoint, token, { heartbeat: WATCH_HEARTBEAT });
    // Starts each walk at a random step, so that the watches do not cross the same fence at the same time.
    this.walkingWatches.push({ family, watch, steps: Math.floor(Math.random() * STEPS_PER_WALK) });
  }

  private reportNext(dueAt: number): void {
    const walker = this.walkingWatches[this.sent % this.walkingWatches.length] as WalkingWatch;
    this.send(walker, [walkedPoint(++walker.steps, Date.now())], dueAt);
  }

  private send({ family, watch }: WalkingWatch, points: readonly Location[], dueAt: number): void {
    const cid = family.children[0]?.cid ?? '';
    const positionTime = points.at(-1)?.positionTime ?? 0;
    this.sent += 1;
    this.dueTimeByReport.set(`${cid}/${positionTime}`, dueAt);
    this.undeliveredTimeByChild.set(cid, positionTime);
    watch.report(JSON.stringify(points), (data) => {
      const response = data as EventResponse;
      this.acknowledged += 1;
      if (response.ok) this.acknowledgementLatencies.push(performance.now() - dueAt);
      else this.rejections.set(response.reason, (this.rejections.get(response.reason) ?? 0) + 1);
    });
  }

  private onFrame({ messages }: MessagesFrame): void {
    for (const { kind, payload } of messages) {
      if (kind !== 'LocationPointChangeMessage') continue;
      const { cid, location } = payload as LocationPayload;
      const key = `${cid}/${location.positionTime}`;
      const dueAt = this.dueTimeByReport.get(key);
      if (dueAt === undefined) continue;
      this.dueTimeByReport.delete(key);
      this.delivered += 1;
      this.parentLatencies.push(performance.now() - dueAt);
      if (this.undeliveredTimeByChild.get(cid) === location.positionTime) this.undeliveredTimeByChild.delete(cid);
    }
  }
}
