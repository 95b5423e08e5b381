import { SeededRandom } from '@family-watch/testing/properties/seeded-random';
import { PROCESS_NAMES, type ProcessName } from '@family-watch/testing/service/distributed-service';

export const FAULT_KINDS = [
  'process killed',
  'process stopped',
  'rolling restart',
  'NATS killed',
  'NATS wiped',
  'NATS silent',
  'database crashed',
  'database frozen',
  'database silent',
  'edge restarted',
] as const;

/** One fault of a run. */
export interface Fault {
  kind: (typeof FAULT_KINDS)[number];
  /** The affected process; for a `silent` fault, the process whose connections are half-open. */
  process: ProcessName;
  /** How long the fault lasts, milliseconds. */
  durationMs: number;
  /** Whether a `silent` connection loses the data sent during the fault, instead of delivering the data afterwards. */
  isDataLost: boolean;
  /** Time between the end of this fault and the next fault, milliseconds. */
  pauseMs: number;
}

/** Limits of the duration of a fault, milliseconds; a silent connection lasts longer than the timeouts of the apps. */
const DURATION_MS = { min: 1_000, max: 8_000, maxSilent: 15_000 };
const PAUSE_MS = { min: 500, max: 4_000 };

/** Yields the faults of a seed without end: every kind once in random order, then every kind again. */
export function* planFaults(seed: number): Generator<Fault> {
  const random = new SeededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random.next() * items.length)] as Item;
  for (;;) {
    const round = [...FAULT_KINDS];
    while (round.length > 0) {
      const kind = pick(round);
      round.splice(round.indexOf(kind), 1);
      const max = kind.endsWith('silent') ? DURATION_MS.maxSilent : DURATION_MS.max;
      yield {
        kind,
        process: pick(PROCESS_NAMES),
        durationMs: Math.round(random.nextBetween(DURATION_MS.min, max)),
        isDataLost: random.nextBoolean(0.5),
        pauseMs: Math.round(random.nextBetween(PAUSE_MS.min, PAUSE_MS.max)),
      };
    }
  }
}
