import { setTimeout as sleep } from 'node:timers/promises';
import { startAttacker } from '../attack/start-attacker.js';
import type { AttackReport } from '../attack/attacker-main.js';
import type { HeldConnectionsReport } from '../attack/held-connections.js';
import { FamilyTraffic, KNOWN_DEVICE_SIGN_IN, type RequestMeasurement } from '../load/family-traffic.js';
import { GatewayChatPair } from '../load/gateway-pairs.js';
import { GatewaySession } from '../load/gateway-session.js';
import { HttpConnection } from '../load/http-connection.js';
import { LocationSession } from '../load/location-session.js';
import { sendPacedRequests } from '../load/paced-requests.js';
import { PacedLoad } from '../load/paced-load.js';
import { Recorder } from '../load/recorder.js';
import { createFamilies, type RegisteredFamily } from '../load/registered-family.js';
import { signUp } from '../load/sign-up.js';
import { uploadPictures } from '../load/upload-pictures.js';
import type { DeploymentName } from '../options.js';
import { percentilesOf, type Percentiles } from '../report/percentiles.js';
import {
  asGuarantee,
  atLeast,
  atMost,
  lineWithoutGoal,
  mustBeZero,
  type BenchResult,
  type ResultLine,
} from '../report/result.js';
import { measureCpu, type CpuUse } from '../servers/cpu-meter.js';
import {
  openHandlesOf,
  peakBytesOf,
  processorWaitSecondsOf,
  residentBytesOf,
  resetPeakBytes,
} from '../servers/process-figures.js';
import { startWholeService, type WholeService } from '../servers/whole-service.js';
import { measureAccountScenario } from './account-attack.js';
import type { BenchContext } from './bench-context.js';
import { verifyRun } from './run-verification.js';

const FAMILIES = 4;
const PICTURES_PER_FAMILY = 12;
const MESSAGES_PER_SECOND = FAMILIES;
const HEALTH_CHECKS_PER_SECOND = 5;
const WARM_UP_SECONDS = 5;
const BASELINE_SECONDS = 20;
const SECONDS_AFTER_ATTACK = 10;
const DELIVERY_TIMEOUT_MS = 30_000;
const MEBIBYTE_BYTES = 1_024 ** 2;

const ATTACK_SIZE = { slowRequests: 2_000, silentSockets: 5_000, guessesPerSecond: 1_000, concurrentSignIns: 40 };
/** Size of the attack with `--quick`. */
const QUICK_ATTACK_SIZE = { slowRequests: 400, silentSockets: 1_000, guessesPerSecond: 200, concurrentSignIns: 10 };
/** With the accounts of the families, less than the 20 sign-ups an hour that one address is allowed. */
const ATTACKER_ACCOUNTS = 10;
const HANDLE_SAMPLE_INTERVAL_MS = 500;
const GOAL = { successPercent: 99.9, p99Ms: 500, growthMebibytes: 200, healthCheckMs: 500 };

/** Path of a large public response of each deployment; the edge of the distributed deployment has no API document. */
const UNREAD_PATHS = { standalone: '/docs/openapi.json', distributed: '/.well-known/jwks.json' };

/** Measured values of the families and of the health checks in a period with or without the attack. */
interface PeriodMeasurement {
  requests: RequestMeasurement[];
  healthChecks: Percentiles;
  healthCheckFailures: number;
  latencyToReceiver: Percentiles;
  latencyToAcknowledgement: Percentiles;
  /** Number of chat messages that were sent. */
  sentMessages: number;
  /** Whether all chat messages were delivered. */
  areMessagesDelivered: boolean;
}

/** Runs the selected scenarios one after the other on each deployment, each on a service of its own. */
export async function runAttackBenchmark(context: BenchContext): Promise<BenchResult> {
  const { deployments, scenarios } = context.options;
  const results: BenchResult[] = [];
  for (const deployment of deployments)
    for (const scenario of scenarios)
      results.push(
        scenario === 'strangers'
          ? await measureStrangers(deployment, context)
          : await measureAccountScenario(scenario, deployment, context),
      );
  return {
    bench: 'attack',
    lines: results.flatMap(({ lines }) => lines),
    figures: results.map(({ bench, figures }) => ({ bench, figures })),
  };
}

/**
 * Families use the service, first undisturbed, then while slow requests, silent sockets, unread responses, guesses and
 * wrong passwords arrive from many addresses at once. The service runs with the default limits of production.
 */
async function measureStrangers(deployment: DeploymentName, context: BenchContext): Promise<BenchResult> {
  const service = await startWholeService(deployment, context);
  const { endpoint, dataDir } = service;
  const baseUrl = `http://${endpoint.host}:${endpoint.port}`;
  const families = await createFamilies(baseUrl, dataDir, FAMILIES);
  for (const family of families) await uploadPictures(family, PICTURES_PER_FAMILY);
  const attackers = await signUp(baseUrl, dataDir, ATTACKER_ACCOUNTS, 2 * FAMILIES);
  const clients = await FamilyClients.connect(service, families);
  context.onClose(async () => clients.close());
  await clients.useService('warm-up', WARM_UP_SECONDS);
  context.log(`${deployment}: measuring without an attack`);
  const baseline = await clients.useService('baseline', BASELINE_SECONDS);
  const pids = service.apps.map(({ process: { pid } }) => pid);
  const before = pids.map(residentBytesOf);
  const handles = new HandleCounts(pids);
  const stopAttack = await startAttacker('attacker-main', {
    ...endpoint,
    ...(context.options.quick ? QUICK_ATTACK_SIZE : ATTACK_SIZE),
    unreadPath: UNREAD_PATHS[deployment],
    phoneNumber: families[0]?.phoneNumber ?? '',
    tokens: attackers.map(({ accessToken }) => accessToken),
  });
  context.log(`${deployment}: attack`);
  pids.forEach(resetPeakBytes);
  const stopCpu = await measureCpu(
    service.apps.map(({ process: server }) => server),
    service.database,
  );
  const waitedBefore = sum(pids.map(processorWaitSecondsOf));
  const attacked = await clients.useService('attack', context.options.seconds);
  const processorWaitSeconds = sum(pids.map(processorWaitSecondsOf)) - waitedBefore;
  const cpu = await stopCpu();
  const peaks = pids.map(peakBytesOf);
  const report = await stopAttack();
  await sleep(SECONDS_AFTER_ATTACK * 1_000);
  const after = pids.map(residentBytesOf);
  const openHandles = handles.finish();
  const violations = await verifyRun(context, `attack-${deployment}`, clients.recorder.history, clients.guarantees);
  const memory = { before: sum(before), peak: sum(peaks), after: sum(after) };
  const growths = service.apps.map(({ process: { name } }, index) => ({
    name,
    bytes: (peaks[index] ?? 0) - (before[index] ?? 0),
  }));
  const figures = {
    baseline: toFigures(baseline),
    attacked: toFigures(attacked),
    report,
    memory,
    openHandles,
    growths,
    cpu,
    processorWaitSeconds,
    violations,
  };
  const lines = [
    ...familyLines(deployment, baseline, attacked, clients.lostSockets, violations.length),
    ...serviceLines(deployment, attacked, baseline, cpu, context.options.seconds),
    lineWithoutGoal(
      deployment,
      'event loops that wait for a processor',
      processorWaitSeconds / context.options.seconds,
    ),
    ...memoryLines(deployment, memory, growths),
    ...handleLines(deployment, openHandles),
    ...attackerLines(deployment, report),
  ];
  clients.close();
  for (const { process: server } of service.apps) await server.stop();
  return { bench: deployment, lines, figures };
}

/** The phones and watches of the families, with their sockets. */
class FamilyClients {
  readonly recorder = new Recorder();
  readonly guarantees = { ranges: true, conversationNumbers: true };
  private readonly chatPairs: GatewayChatPair[] = [];
  private readonly sessions: GatewaySession[] = [];
  private readonly otherPhones: LocationSession[] = [];

  private constructor(
    private readonly service: WholeService,
    private readonly families: readonly RegisteredFamily[],
  ) {}

  static async connect(service: WholeService, families: readonly RegisteredFamily[]): Promise<FamilyClients> {
    const clients = new FamilyClients(service, families);
    for (const family of families) await clients.connectFamily(family);
    return clients;
  }

  get lostSockets(): number {
    const lost = this.otherPhones.filter(({ isLost }) => isLost).length;
    return this.sessions.reduce((count, { reconnects }) => count + reconnects, lost);
  }

  /** Sends requests, messages and health checks to the service for `seconds`. @returns the measured values */
  async useService(label: string, seconds: number): Promise<PeriodMeasurement> {
    const load = new PacedLoad(this.chatPairs, MESSAGES_PER_SECOND, label);
    load.start();
    const healthChecks = new HealthChecks(this.service);
    const [requests] = await Promise.all([
      new FamilyTraffic(this.service.endpoint, this.families).run(seconds),
      healthChecks.run(seconds),
    ]);
    const areMessagesDelivered = await load.finish(DELIVERY_TIMEOUT_MS);
    return {
      requests,
      healthChecks: percentilesOf(healthChecks.latencies),
      healthCheckFailures: healthChecks.failures,
      latencyToReceiver: percentilesOf(load.receiverLatencies),
      latencyToAcknowledgement: percentilesOf(load.acknowledgementLatencies),
      sentMessages: load.progress.sent,
      areMessagesDelivered,
    };
  }

  close(): void {
    for (const client of [...this.sessions, ...this.otherPhones]) client.close();
  }

  private async connectFamily(family: RegisteredFamily): Promise<void> {
    const { endpoint } = this.service;
    const { owner, guardian, conversationId, cid } = family;
    const common = { endpoint, recorder: this.recorder };
    const phone = new GatewaySession({ ...common, name: `user:${cid}`, token: owner.token });
    const readConversationIds = [conversationId];
    const { token } = family.watch;
    const watch = new GatewaySession({ ...common, name: `watch:${cid}`, token, readConversationIds });
    await Promise.all([phone.open(), watch.open()]);
    this.sessions.push(phone, watch);
    this.chatPairs.push(new GatewayChatPair(phone, watch, conversationId));
    this.otherPhones.push(await LocationSession.open(endpoint, guardian.token, {}));
  }
}

/** Number of open files and connections of all processes together: before, during and after the attack. */
class HandleCounts {
  private readonly before: number;
  private peak: number;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pids: readonly number[]) {
    this.before = this.count();
    this.peak = this.before;
    this.timer = setInterval(() => (this.peak = Math.max(this.peak, this.count())), HANDLE_SAMPLE_INTERVAL_MS);
  }

  finish(): { before: number; peak: number; after: number } {
    clearInterval(this.timer);
    return { before: this.before, peak: this.peak, after: this.count() };
  }

  private count(): number {
    return sum(this.pids.map(openHandlesOf));
  }
}

/** Checks at a fixed rate whether each process of the service responds, over a new connection each time. */
class HealthChecks {
  readonly latencies: number[] = [];
  failures = 0;

  constructor(private readonly service: WholeService) {}

  async run(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1_000;
    const checks = this.service.apps.map(({ endpoint }) => async (dueAt: number) => {
      try {
        const connection = await HttpConnection.open(endpoint);
        const { status } = await connection.send({ method: 'GET', path: '/health/live' });
        connection.close();
        if (status !== 200) this.failures += 1;
      } catch {
        this.failures += 1;
      }
      this.latencies.push(performance.now() - dueAt);
    });
    await sendPacedRequests(checks, HEALTH_CHECKS_PER_SECOND * checks.length, () => performance.now() > end);
  }
}

function familyLines(
  name: string,
  baseline: PeriodMeasurement,
  attacked: PeriodMeasurement,
  lostSockets: number,
  violations: number,
): ResultLine[] {
  const latency = latencyOf(attacked);
  const undisturbed = latencyOf(baseline);
  return [
    atLeast(name, 'requests of the families that succeed', successPercentOf(attacked), GOAL.successPercent, '%'),
    atMost(name, 'requests of the families: p99', latency.p99, GOAL.p99Ms, 'ms'),
    ...signInLines(name, attacked),
    lineWithoutGoal(name, 'requests of the families: p50', latency.p50, 'ms'),
    lineWithoutGoal(name, 'requests of the families: maximum', latency.max, 'ms'),
    lineWithoutGoal(name, 'requests of the families: number', latency.count),
    lineWithoutGoal(name, 'requests of the families without an attack: p99', undisturbed.p99, 'ms'),
    lineWithoutGoal(name, 'requests of the families without an attack: p50', undisturbed.p50, 'ms'),
    lineWithoutGoal(name, 'requests of the families without an attack that succeed', successPercentOf(baseline), '%'),
    atMost(name, 'message to the recipient: p99', attacked.latencyToReceiver.p99, GOAL.p99Ms, 'ms'),
    lineWithoutGoal(name, 'message to the recipient without an attack: p99', baseline.latencyToReceiver.p99, 'ms'),
    mustBeZero(name, 'messages lost, late or twice', violations + (attacked.areMessagesDelivered ? 0 : 1)),
    mustBeZero(name, 'sockets lost', lostSockets),
  ];
}

function signInLines(name: string, { requests }: PeriodMeasurement): ResultLine[] {
  const signIns = requests.filter((request) => request.name === KNOWN_DEVICE_SIGN_IN);
  const failures = signIns.filter(({ result }) => result !== 200).length;
  const { p99 } = percentilesOf(signIns.map(({ latency }) => latency));
  return [
    asGuarantee(atLeast(name, 'sign-ins on known devices', signIns.length, 1)),
    mustBeZero(name, 'sign-ins on known devices that fail', failures),
    lineWithoutGoal(name, 'sign-ins on known devices: p99', p99, 'ms'),
  ];
}

function handleLines(name: string, { before, peak, after }: ReturnType<HandleCounts['finish']>): ResultLine[] {
  return [
    lineWithoutGoal(name, 'open files and connections before', before),
    lineWithoutGoal(name, 'open files and connections: peak', peak),
    lineWithoutGoal(name, 'open files and connections 10 s after the attack', after),
  ];
}

function serviceLines(
  name: string,
  { healthChecks, healthCheckFailures }: PeriodMeasurement,
  baseline: PeriodMeasurement,
  cpu: CpuUse,
  seconds: number,
): ResultLine[] {
  return [
    atMost(name, '/health/live: longest response time', healthChecks.max, GOAL.healthCheckMs, 'ms'),
    lineWithoutGoal(name, '/health/live: p99', healthChecks.p99, 'ms'),
    lineWithoutGoal(name, '/health/live without an attack: p99', baseline.healthChecks.p99, 'ms'),
    mustBeZero(name, '/health/live: failures', healthCheckFailures),
    lineWithoutGoal(name, 'cores of the service', sum(Object.values(cpu.processes)) / seconds),
    lineWithoutGoal(name, 'cores of the database', (cpu.backends + cpu.shared) / seconds),
  ];
}

/** The goal applies to each process, because each process has its own memory limit, and not all are attacked. */
function memoryLines(
  name: string,
  { before, peak, after }: { before: number; peak: number; after: number },
  growths: readonly { name: string; bytes: number }[],
): ResultLine[] {
  return [
    ...growths.map((growth) =>
      atMost(
        name,
        `memory: growth of ${growth.name} to its peak`,
        growth.bytes / MEBIBYTE_BYTES,
        GOAL.growthMebibytes,
        'MiB',
      ),
    ),
    lineWithoutGoal(name, 'memory: sum of the growths', (peak - before) / MEBIBYTE_BYTES, 'MiB'),
    lineWithoutGoal(name, 'memory before', before / MEBIBYTE_BYTES, 'MiB'),
    lineWithoutGoal(name, 'memory 10 s after the attack', after / MEBIBYTE_BYTES, 'MiB'),
  ];
}

function attackerLines(
  name: string,
  { slowRequests, silentSockets, guesses, wrongPasswords, unreadResponses, ...rest }: AttackReport,
) {
  return [
    ...heldConnectionLines(name, 'slow requests', slowRequests),
    ...heldConnectionLines(name, 'silent sockets', silentSockets),
    lineWithoutGoal(name, 'attack: connections that read no response', unreadResponses.openedConnections),
    lineWithoutGoal(name, 'attack: guesses per second', guesses.perSecond),
    lineWithoutGoal(name, 'attack: addresses of the guesses', guesses.addressCount),
    ...statusLines(name, 'guesses', guesses.statuses),
    ...statusLines(name, 'wrong passwords', wrongPasswords.statuses),
    lineWithoutGoal(name, 'attack: cores of the attacker', rest.cpuSeconds / rest.seconds),
  ];
}

function heldConnectionLines(
  name: string,
  what: string,
  { median, minimum, closedConnections }: HeldConnectionsReport,
): ResultLine[] {
  return [
    lineWithoutGoal(name, `attack: ${what}, median`, median),
    lineWithoutGoal(name, `attack: ${what}, minimum`, minimum),
    lineWithoutGoal(name, `attack: ${what} that the service closed`, closedConnections),
  ];
}

function statusLines(name: string, what: string, statuses: Record<string, number>): ResultLine[] {
  return Object.entries(statuses).map(([status, count]) =>
    lineWithoutGoal(name, `attack: ${what} with ${status}`, count),
  );
}

function latencyOf({ requests }: PeriodMeasurement): Percentiles {
  return percentilesOf(requests.map(({ latency }) => latency));
}

function successPercentOf({ requests }: PeriodMeasurement): number {
  return (100 * requests.filter(({ result }) => result === 200).length) / requests.length;
}

/** Returns the measured values of a period for the recorded results, with latencies and failures by kind of request. */
function toFigures({ requests, ...period }: PeriodMeasurement): object {
  const byName = Map.groupBy(requests, ({ name }) => name);
  const kinds = [...byName].map(([name, records]) => {
    const failures = records.filter(({ result }) => result !== 200).map(({ result }) => result);
    return [name, { ...percentilesOf(records.map(({ latency }) => latency)), failures }];
  });
  return { ...period, requests: Object.fromEntries(kinds) as Record<string, unknown> };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
