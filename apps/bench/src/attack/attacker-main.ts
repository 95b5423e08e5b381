import { percentilesOf } from '../report/percentiles.js';
import type { Percentiles } from '../report/percentiles.js';
import { Guesses } from './guesses.js';
import { StalledBodies } from './stalled-bodies.js';
import { UnreadResponses } from './unread-responses.js';
import { WrongPasswords } from './wrong-passwords.js';

/** Target and rates of the attack; the first argument of the program, as JSON. */
export interface AttackOptions {
  host: string;
  port: number;
  stalledBodies: number;
  /** Path of a large public response. */
  unreadPath: string;
  guessesPerSecond: number;
  /** Number of sign-ins with wrong passwords that are sent concurrently; 0 for none. */
  concurrentSignIns: number;
  /** Phone number of a parent, whose password is guessed. */
  phoneNumber: string;
}

/** Measured effects of the attack; written to standard output after SIGTERM, as JSON. */
export interface AttackReport {
  seconds: number;
  /** Minimum and median number of concurrently stalled requests, and number of connections that the service closed. */
  stalledBodies: { minimum: number; median: number; closedConnections: number };
  unreadResponses: { openedConnections: number };
  guesses: {
    sentCount: number;
    perSecond: number;
    addressCount: number;
    statuses: Record<string, number>;
    latency: Percentiles;
  };
  wrongPasswords: { statuses: Record<string, number>; latency: Percentiles };
  cpuSeconds: number;
}

const SAMPLE_INTERVAL_MS = 250;

/** Runs all kinds of attacks on a service concurrently, in a process of its own, until SIGTERM. */
function main(options: AttackOptions): void {
  const stalled = new StalledBodies(options);
  const unread = new UnreadResponses(options, options.unreadPath);
  const guesses = new Guesses(options, options.guessesPerSecond);
  const passwords = new WrongPasswords(options, options.phoneNumber);
  stalled.start(options.stalledBodies);
  const timer = setInterval(() => {
    if (stalled.currentCount < options.stalledBodies) return;
    clearInterval(timer);
    const startedAt = performance.now();
    setInterval(() => stalled.recordOpenCount(), SAMPLE_INTERVAL_MS);
    if (options.unreadPath !== '') unread.start();
    guesses.start();
    if (options.concurrentSignIns > 0) void passwords.run(options.concurrentSignIns);
    process.once('SIGTERM', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const counts = stalled.sampledCounts;
      const cpu = process.cpuUsage();
      const report: AttackReport = {
        seconds,
        stalledBodies: {
          minimum: counts[0] ?? 0,
          median: counts[counts.length >> 1] ?? 0,
          closedConnections: stalled.closedCount,
        },
        unreadResponses: { openedConnections: unread.openedCount },
        guesses: {
          sentCount: guesses.sentCount,
          perSecond: guesses.sentCount / seconds,
          addressCount: guesses.addressCount,
          statuses: guesses.statuses.counts,
          latency: percentilesOf(guesses.latencies),
        },
        wrongPasswords: { statuses: passwords.statuses.counts, latency: percentilesOf(passwords.latencies) },
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
      };
      process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
    });
    process.stdout.write('the attack has begun\n');
  }, SAMPLE_INTERVAL_MS);
}

main(JSON.parse(process.argv[2] ?? '') as AttackOptions);
