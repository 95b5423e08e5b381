import { percentilesOf, type Percentiles } from '../report/percentiles.js';
import { Guesses } from './guesses.js';
import { HeldConnections, type HeldConnectionsReport } from './held-connections.js';
import { silentSockets } from './silent-sockets.js';
import { sendSlowRequest } from './slow-requests.js';
import { UnreadResponses } from './unread-responses.js';
import { WrongPasswords } from './wrong-passwords.js';

/** Target and rates of the attack; the first argument of the program, as JSON. */
export interface AttackOptions {
  host: string;
  port: number;
  /** Number of requests that stall or trickle. */
  slowRequests: number;
  /** Number of sockets that never authenticate, or authenticate and never read. */
  silentSockets: number;
  /** Path of a large public response. */
  unreadPath: string;
  guessesPerSecond: number;
  /** Number of sign-ins with wrong passwords that are sent concurrently; 0 for none. */
  concurrentSignIns: number;
  /** Phone number of a parent, whose password is guessed. */
  phoneNumber: string;
  /** Access tokens of accounts of the attacker. */
  tokens: string[];
}

/** Measured effects of the attack; written to standard output after SIGTERM, as JSON. */
export interface AttackReport {
  seconds: number;
  slowRequests: HeldConnectionsReport;
  silentSockets: HeldConnectionsReport;
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
/** Fraction of the held connections that must be open when the attack begins; the service closes some at any time. */
const OPEN_FRACTION = 0.9;

/** Runs all kinds of attacks on a service concurrently, in a process of its own, until SIGTERM. */
function main(options: AttackOptions): void {
  const slow = new HeldConnections(options, sendSlowRequest);
  const silent = new HeldConnections(options, silentSockets(options, options.tokens));
  const unread = new UnreadResponses(options, options.unreadPath);
  const guesses = new Guesses(options, options.guessesPerSecond, options.tokens);
  const passwords = new WrongPasswords(options, options.phoneNumber);
  slow.start(options.slowRequests);
  silent.start(options.silentSockets);
  const timer = setInterval(() => {
    if (slow.currentCount < options.slowRequests * OPEN_FRACTION) return;
    if (silent.currentCount < options.silentSockets * OPEN_FRACTION) return;
    clearInterval(timer);
    const startedAt = performance.now();
    setInterval(() => {
      slow.recordOpenCount();
      silent.recordOpenCount();
    }, SAMPLE_INTERVAL_MS);
    if (options.unreadPath !== '') unread.start();
    guesses.start();
    if (options.concurrentSignIns > 0) void passwords.run(options.concurrentSignIns);
    process.once('SIGTERM', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const cpu = process.cpuUsage();
      const report: AttackReport = {
        seconds,
        slowRequests: slow.report(),
        silentSockets: silent.report(),
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
