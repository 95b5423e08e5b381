import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { EventResponse } from '@family-watch/domain/messages/contracts/socket-events';
import type { LocationEnvironment } from '../benches/location-environment.js';
import type { SeededFamily } from '../servers/userctx-seed.js';
import { LocationSession } from './location-session.js';
import { WALK, walkedPoint } from './walked-point.js';

const CONNECTIONS_AT_ONCE = 100;
const TICK_MS = 1;
/** Between two points of a watch that is away. */
const KEPT_EVERY_MS = 100;
const WATCH_HEARTBEAT = JSON.stringify({ battery: 82, charging: false, worn: true, signal: 3, signalMax: 4 });

interface Walker {
  family: SeededFamily;
  watch: LocationSession;
  steps: number;
}

interface LocationShown {
  cid: string;
  location: Location;
}

/**
 * Watches that report at a fixed rate, whatever the servers do, and their parents. Time counts from when a report was
 * to be sent, so that a stall is seen by every report that it delays.
 */
export class WatchLoad {
  sent = 0;
  acknowledged = 0;
  shown = 0;
  /** Milliseconds from the intended time of sending. */
  readonly toParent: number[] = [];
  readonly toAcknowledgement: number[] = [];
  readonly refusals = new Map<string, number>();
  private readonly intended = new Map<string, number>();
  private readonly newest = new Map<string, number>();
  private readonly walkers: Walker[] = [];
  private readonly parents: LocationSession[] = [];
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly world: LocationEnvironment) {}

  static async connect(world: LocationEnvironment): Promise<WatchLoad> {
    const watches = new WatchLoad(world);
    for (let start = 0; start < world.families.length; start += CONNECTIONS_AT_ONCE) {
      const some = world.families.slice(start, start + CONNECTIONS_AT_ONCE);
      await Promise.all(some.map((family) => watches.admit(family)));
    }
    return watches;
  }

  /** Reports one point per watch in turn, `perSecond` in all. */
  start(perSecond: number): void {
    const startedAt = performance.now();
    const begun = this.sent;
    this.timer = setInterval(() => {
      const due = begun + Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
      while (this.sent < due) {
        const intended = startedAt + ((this.sent - begun) * 1_000) / perSecond;
        this.reportNext(intended);
      }
    }, TICK_MS);
  }

  forgetMeasured(): void {
    this.toParent.length = 0;
    this.toAcknowledgement.length = 0;
  }

  /** Stops reporting; says whether the newest point of every watch reached its parent. */
  async finish(timeoutMs: number): Promise<boolean> {
    clearInterval(this.timer);
    const end = performance.now() + timeoutMs;
    while (this.newest.size > 0 || this.acknowledged < this.sent) {
      if (performance.now() > end) return false;
      await sleep(20);
    }
    return true;
  }

  /**
   * Each watch sends what it kept while it was away; resolves with the milliseconds until every parent has the end
   * of it, or until patience is at an end.
   */
  async burst(pointsOfEach: number, timeoutMs: number): Promise<number> {
    // Nobody is at two places at once: what was kept begins after what was sent.
    await sleep((pointsOfEach + 1) * KEPT_EVERY_MS);
    const startedAt = performance.now();
    for (const walker of this.walkers) {
      const now = Date.now();
      const points = Array.from({ length: pointsOfEach }, (_, index) =>
        walkedPoint(++walker.steps, now - (pointsOfEach - 1 - index) * KEPT_EVERY_MS),
      );
      this.send(walker, points, startedAt);
    }
    await this.finish(timeoutMs);
    return performance.now() - startedAt;
  }

  /** Parents who have not been shown the newest point. */
  get unseen(): number {
    return this.newest.size;
  }

  get lost(): number {
    return [...this.walkers.map(({ watch }) => watch), ...this.parents].filter((session) => session.lost).length;
  }

  close(): void {
    clearInterval(this.timer);
    for (const session of [...this.walkers.map(({ watch }) => watch), ...this.parents]) session.close();
  }

  private async admit(family: SeededFamily): Promise<void> {
    const { endpoint } = this.world.gateway;
    const onFrame = (frame: MessagesFrame): void => this.onFrame(frame);
    const parent = await LocationSession.open(endpoint, await this.world.tokenOf('user', family.userId), { onFrame });
    this.parents.push(parent);
    const token = await this.world.tokenOf('watch', String(family.children[0]?.did));
    const watch = await LocationSession.open(endpoint, token, { heartbeat: WATCH_HEARTBEAT });
    // Not all of them cross the same fence at the same moment.
    this.walkers.push({ family, watch, steps: Math.floor(Math.random() * WALK) });
  }

  private reportNext(intended: number): void {
    const walker = this.walkers[this.sent % this.walkers.length] as Walker;
    this.send(walker, [walkedPoint(++walker.steps, Date.now())], intended);
  }

  private send({ family, watch }: Walker, points: readonly Location[], intended: number): void {
    const cid = family.children[0]?.cid ?? '';
    const positionTime = points.at(-1)?.positionTime ?? 0;
    this.sent += 1;
    this.intended.set(`${cid}/${positionTime}`, intended);
    this.newest.set(cid, positionTime);
    watch.report(JSON.stringify(points), (given) => {
      const answer = given as EventResponse;
      this.acknowledged += 1;
      if (answer.ok) this.toAcknowledgement.push(performance.now() - intended);
      else this.refusals.set(answer.reason, (this.refusals.get(answer.reason) ?? 0) + 1);
    });
  }

  private onFrame({ messages }: MessagesFrame): void {
    for (const { kind, payload } of messages) {
      if (kind !== 'LocationPointChangeMessage') continue;
      const { cid, location } = payload as LocationShown;
      const key = `${cid}/${location.positionTime}`;
      const intended = this.intended.get(key);
      if (intended === undefined) continue;
      this.intended.delete(key);
      this.shown += 1;
      this.toParent.push(performance.now() - intended);
      if (this.newest.get(cid) === location.positionTime) this.newest.delete(cid);
    }
  }
}
