import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { summarizeLivenessEvents } from './liveness-event.js';
import type { LivenessEventKind } from './liveness-event.js';
import { evaluateLiveness } from './watch-liveness.js';
import type { WatchLivenessState } from './watch-liveness.js';

const PATIENCE = 60_000;
const START = 1_000_000;
const heardAt = (time: number, more: Partial<WatchLivenessState> = {}): WatchLivenessState => ({
  online: true,
  settled: false,
  heardAt: time,
  endedAt: null,
  shutDownAt: null,
  ...more,
});

const judge = (signs: WatchLivenessState, now: number, listeningSince = 0) =>
  evaluateLiveness(signs, now, listeningSince, PATIENCE);

describe('evaluateLiveness', () => {
  test('a watch is offline and lost after twice the interval, to the millisecond', () => {
    const before = judge(heardAt(START), START + PATIENCE - 1);
    expect(before).toEqual({ signs: heardAt(START), wentOffline: false, isLost: false, dueAt: START + PATIENCE });
    expect(judge(heardAt(START), START + PATIENCE)).toEqual({
      signs: { ...heardAt(START), online: false, settled: true },
      wentOffline: true,
      isLost: true,
      dueAt: null,
    });
  });

  test('a socket that has just ended has as long to come back', () => {
    const ended = heardAt(START, { endedAt: START + 50_000 });
    const offline = judge(ended, START + PATIENCE);
    expect(offline).toMatchObject({ wentOffline: true, isLost: false, dueAt: START + 50_000 + PATIENCE });
    expect(judge(offline.signs, START + 50_000 + PATIENCE)).toMatchObject({ wentOffline: false, isLost: true });
  });

  test('who said that it shuts down is offline and not lost, unless it was heard of long after', () => {
    const said = heardAt(START + 10, { shutDownAt: START });
    expect(judge(said, START + 10 + PATIENCE)).toMatchObject({ wentOffline: true, isLost: false, dueAt: null });
    const stayed = heardAt(START + PATIENCE + 1, { shutDownAt: START });
    expect(judge(stayed, START + 2 * PATIENCE + 1)).toMatchObject({ wentOffline: true, isLost: true });
  });

  test('time in which no node listened is nobody’s silence', () => {
    const listeningSince = START + 3_600_000;
    expect(judge(heardAt(START), listeningSince, listeningSince)).toMatchObject({ wentOffline: false, isLost: false });
    expect(judge(heardAt(START), listeningSince + PATIENCE, listeningSince)).toMatchObject({ isLost: true });
  });
});

type Step = { kind: LivenessEventKind | 'wait'; pause: number };

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('connected', 'heard', 'shutting down', 'disconnected', 'wait'),
    pause: fc.integer({ min: 0, max: 2 * PATIENCE }),
  }),
  { maxLength: 60 },
);

/** What the database does with a sign, and when it lets a job look at the row. */
class StoredWatch {
  signs: WatchLivenessState | undefined;
  dueAt: number | null = null;

  take(kind: LivenessEventKind, at: number): void {
    const [change] = summarizeLivenessEvents([{ principal: 'watch:1', kind, at }]);
    if (!change) throw new Error('No summary');
    if (change.heardAt === null) {
      if (this.signs) this.signs.endedAt = Math.max(this.signs.endedAt ?? 0, change.endedAt ?? 0);
      return;
    }
    const kept = change.startsAnew ? undefined : this.signs;
    this.signs = {
      online: true,
      settled: false,
      heardAt: change.heardAt,
      endedAt: change.endedAt ?? kept?.endedAt ?? null,
      shutDownAt: change.shutDownAt ?? kept?.shutDownAt ?? null,
    };
    this.dueAt ??= at + PATIENCE;
  }
}

describe('a watch over time', () => {
  test('is told lost at most once a silence, and never within the patience of a sign of life', () => {
    fc.assert(
      fc.property(steps, (walk) => {
        const watch = new StoredWatch();
        let now = START;
        let toldSinceHeard = 0;
        const look = () => {
          if (!watch.signs || watch.dueAt === null || watch.dueAt > now) return;
          const { signs, isLost, wentOffline, dueAt } = judge(watch.signs, now);
          if (isLost) toldSinceHeard += 1;
          if (isLost || wentOffline) expect(now - signs.heardAt).toBeGreaterThanOrEqual(PATIENCE);
          if (isLost && signs.endedAt !== null) expect(now - signs.endedAt).toBeGreaterThanOrEqual(PATIENCE);
          expect(dueAt === null || dueAt > now).toBe(true);
          Object.assign(watch, { signs, dueAt });
        };
        for (const { kind, pause } of walk) {
          now += pause;
          look();
          if (kind === 'wait') continue;
          if (kind !== 'disconnected') toldSinceHeard = 0;
          watch.take(kind, now);
          look();
          expect(toldSinceHeard).toBeLessThanOrEqual(1);
        }
        now += 4 * PATIENCE;
        look();
        look();
        const { signs } = watch;
        expect(signs?.online ?? false).toBe(false);
        // Every silence ends in a notice or has an explanation.
        const explained = !signs || (signs.shutDownAt !== null && signs.heardAt <= signs.shutDownAt + PATIENCE);
        expect(toldSinceHeard).toBe(explained ? 0 : 1);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
