import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import {
  summarizeLivenessEvents,
  evaluateLiveness,
  type LivenessEventKind,
  type WatchLivenessState,
} from './watch-liveness.service.js';

const TIMEOUT_MS = 60_000;
const START_TIME = 1_000_000;
const seenAt = (time: number, overrides: Partial<WatchLivenessState> = {}): WatchLivenessState => ({
  online: true,
  offlinePeriodHandled: false,
  lastSeenAt: time,
  disconnectedAt: null,
  shutDownAt: null,
  ...overrides,
});

const evaluate = (state: WatchLivenessState, now: number, servingSince = 0) =>
  evaluateLiveness(state, now, servingSince, TIMEOUT_MS);

describe('evaluateLiveness', () => {
  test('reports a watch offline and lost exactly when the timeout has passed', () => {
    const before = evaluate(seenAt(START_TIME), START_TIME + TIMEOUT_MS - 1);
    expect(before).toEqual({
      state: seenAt(START_TIME),
      wentOffline: false,
      isLost: false,
      dueAt: START_TIME + TIMEOUT_MS,
    });
    expect(evaluate(seenAt(START_TIME), START_TIME + TIMEOUT_MS)).toEqual({
      state: { ...seenAt(START_TIME), online: false, offlinePeriodHandled: true },
      wentOffline: true,
      isLost: true,
      dueAt: null,
    });
  });

  test('reports a watch lost only after its last connection has been closed for the timeout', () => {
    const disconnected = seenAt(START_TIME, { disconnectedAt: START_TIME + 50_000 });
    const offline = evaluate(disconnected, START_TIME + TIMEOUT_MS);
    expect(offline).toMatchObject({ wentOffline: true, isLost: false, dueAt: START_TIME + 50_000 + TIMEOUT_MS });
    expect(evaluate(offline.state, START_TIME + 50_000 + TIMEOUT_MS)).toMatchObject({
      wentOffline: false,
      isLost: true,
    });
  });

  test('does not report a watch lost that announced its shutdown, unless the watch sent something after the timeout', () => {
    const announced = seenAt(START_TIME + 10, { shutDownAt: START_TIME });
    expect(evaluate(announced, START_TIME + 10 + TIMEOUT_MS)).toMatchObject({
      wentOffline: true,
      isLost: false,
      dueAt: null,
    });
    const stayedOn = seenAt(START_TIME + TIMEOUT_MS + 1, { shutDownAt: START_TIME });
    expect(evaluate(stayedOn, START_TIME + 2 * TIMEOUT_MS + 1)).toMatchObject({ wentOffline: true, isLost: true });
  });

  test('counts towards the timeout only the time in which a node was running', () => {
    const servingSince = START_TIME + 3_600_000;
    expect(evaluate(seenAt(START_TIME), servingSince, servingSince)).toMatchObject({
      wentOffline: false,
      isLost: false,
    });
    expect(evaluate(seenAt(START_TIME), servingSince + TIMEOUT_MS, servingSince)).toMatchObject({ isLost: true });
  });
});

type LivenessStep = { kind: LivenessEventKind | 'wait'; pause: number };

const stepsArbitrary = fc.array(
  fc.record<LivenessStep>({
    kind: fc.constantFrom('connected', 'heartbeat', 'shutting down', 'disconnected', 'wait'),
    pause: fc.integer({ min: 0, max: 2 * TIMEOUT_MS }),
  }),
  { maxLength: 60 },
);

/** Model of the stored row: applies liveness events as the database does, and computes when a job evaluates the row. */
class StoredWatch {
  state: WatchLivenessState | undefined;
  dueAt: number | null = null;

  apply(kind: LivenessEventKind, at: number): void {
    const [change] = summarizeLivenessEvents([{ principal: 'watch:1', kind, at }]);
    if (!change) throw new Error('No summary');
    if (change.lastSeenAt === null) {
      if (this.state) this.state.disconnectedAt = Math.max(this.state.disconnectedAt ?? 0, change.disconnectedAt ?? 0);
      return;
    }
    const previous = change.isNewConnection ? undefined : this.state;
    this.state = {
      online: true,
      offlinePeriodHandled: false,
      lastSeenAt: change.lastSeenAt,
      disconnectedAt: change.disconnectedAt ?? previous?.disconnectedAt ?? null,
      shutDownAt: change.shutDownAt ?? previous?.shutDownAt ?? null,
    };
    this.dueAt ??= at + TIMEOUT_MS;
  }
}

describe('evaluateLiveness over a sequence of events', () => {
  test('reports a watch lost at most once per offline period, and never before the timeout', () => {
    fc.assert(
      fc.property(stepsArbitrary, (steps) => {
        const watch = new StoredWatch();
        let now = START_TIME;
        let lostReports = 0;
        const evaluateIfDue = () => {
          if (!watch.state || watch.dueAt === null || watch.dueAt > now) return;
          const { state, isLost, wentOffline, dueAt } = evaluate(watch.state, now);
          if (isLost) lostReports += 1;
          if (isLost || wentOffline) expect(now - state.lastSeenAt).toBeGreaterThanOrEqual(TIMEOUT_MS);
          if (isLost && state.disconnectedAt !== null)
            expect(now - state.disconnectedAt).toBeGreaterThanOrEqual(TIMEOUT_MS);
          expect(dueAt === null || dueAt > now).toBe(true);
          Object.assign(watch, { state, dueAt });
        };
        for (const { kind, pause } of steps) {
          now += pause;
          evaluateIfDue();
          if (kind === 'wait') continue;
          if (kind !== 'disconnected') lostReports = 0;
          watch.apply(kind, now);
          evaluateIfDue();
          expect(lostReports).toBeLessThanOrEqual(1);
        }
        now += 4 * TIMEOUT_MS;
        evaluateIfDue();
        evaluateIfDue();
        const { state } = watch;
        expect(state?.online ?? false).toBe(false);
        // Every offline period is reported once or explained by an announced shutdown.
        const explained = !state || (state.shutDownAt !== null && state.lastSeenAt <= state.shutDownAt + TIMEOUT_MS);
        expect(lostReports).toBe(explained ? 0 : 1);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
