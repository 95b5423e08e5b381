import { ACCOUNT_SCENARIOS, type AttackingAccount } from '../attack/account-scenarios.js';
import type { AccountAttackReport } from '../attack/account-attacker-main.js';
import { startAttacker } from '../attack/start-attacker.js';
import type { RequestMeasurement } from '../load/family-traffic.js';
import { MEASURED_KINDS, OtherFamilies, type MeasuredKind } from '../load/other-families.js';
import { createFamilies, type RegisteredFamily } from '../load/registered-family.js';
import type { AccountScenarioName, DeploymentName } from '../options.js';
import { percentilesOf } from '../report/percentiles.js';
import { asGuarantee, atLeast, atMost, lineWithoutGoal, type BenchResult, type ResultLine } from '../report/result.js';
import { measureCpu, type CpuUse } from '../servers/cpu-meter.js';
import { startWholeService } from '../servers/whole-service.js';
import type { BenchContext } from './bench-context.js';

const FAMILIES = 8;
const WARM_UP_SECONDS = 3;
const MAX_BASELINE_SECONDS = 20;
/** Parts of `--seconds`: a scenario with `--quick`, and the time before each scenario without an attack. */
const PARTS = { quick: 1 / 4, baseline: 1 / 2 };
const QUICK_SCALE = 1 / 5;
const GOAL = { p99Ms: 500, baselineFactor: 3, pushMs: 1_000 };

/** Only with this setting may push endpoints be on this machine. */
const SETTINGS = { PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes' };

/**
 * Other families use a service of their own, first undisturbed, then while ordinary accounts misbehave within their
 * limits. The service runs with the default limits of production.
 */
export async function measureAccountScenario(
  scenario: AccountScenarioName,
  deployment: DeploymentName,
  context: BenchContext,
): Promise<BenchResult> {
  const name = `${deployment}, ${scenario}`;
  const service = await startWholeService(deployment, context, SETTINGS);
  const { endpoint, dataDir, apps, database } = service;
  const baseUrl = `http://${endpoint.host}:${endpoint.port}`;
  const families = await createFamilies(baseUrl, dataDir, FAMILIES);
  const attackers = await createFamilies(baseUrl, dataDir, ACCOUNT_SCENARIOS[scenario].accounts, FAMILIES);
  const others = await OtherFamilies.create(endpoint, families);
  context.onClose(() => others.close());
  const seconds = context.size(context.options.seconds, context.options.seconds * PARTS.quick);
  await others.measure(WARM_UP_SECONDS);
  const baseline = await others.measure(Math.min(MAX_BASELINE_SECONDS, seconds * PARTS.baseline));
  context.log(`${name}: attack`);
  const stopAttack = await startAttacker('account-attacker-main', {
    host: endpoint.host,
    port: endpoint.port,
    scenario,
    accounts: attackers.map(toAttackingAccount),
    scale: context.size(1, QUICK_SCALE),
  });
  const processes = apps.map(({ process: server }) => server);
  const stopCpu = await measureCpu(processes, database);
  const attackedSince = performance.now();
  const attacked = await others.measure(seconds);
  for (const server of processes) server.assertRunning();
  const cpu = await stopCpu();
  const measuredSeconds = (performance.now() - attackedSince) / 1_000;
  const report = await stopAttack();
  for (const server of processes) await server.stop();
  const lines = [
    ...MEASURED_KINDS.flatMap((kind) => kindLines(name, kind, ofKind(baseline, kind), ofKind(attacked, kind))),
    ...serviceLines(name, cpu, measuredSeconds, report),
  ];
  return { bench: name, lines, figures: { baseline: toFigures(baseline), attacked: toFigures(attacked), cpu, report } };
}

function toAttackingAccount(family: RegisteredFamily): AttackingAccount {
  const { owner, watch, phoneNumber, deviceToken, cid, cloudID, conversationId } = family;
  const tokens = { token: owner.token, watchToken: watch.token, deviceToken };
  return { ...tokens, phoneNumber, cid, cloudID, conversationId };
}

/** Measured values of one kind. */
type KindMeasurement = ReturnType<typeof ofKind>;

function ofKind(measurements: readonly RequestMeasurement[], kind: MeasuredKind) {
  const records = measurements.filter(({ name }) => name === kind);
  const failures = records.filter(({ result }) => result !== 200).map(({ result }) => result);
  const successPercent = (100 * (records.length - failures.length)) / records.length;
  return { ...percentilesOf(records.map(({ latency }) => latency)), successPercent, failures };
}

function kindLines(
  name: string,
  kind: MeasuredKind,
  baseline: KindMeasurement,
  attacked: KindMeasurement,
): ResultLine[] {
  const goal = kind === 'push of an SOS' ? GOAL.pushMs : Math.max(GOAL.p99Ms, GOAL.baselineFactor * baseline.p99);
  return [
    asGuarantee(atLeast(name, `${kind}: success`, attacked.successPercent, 100, '%')),
    atMost(name, `${kind}: p99`, attacked.p99, goal, 'ms'),
    lineWithoutGoal(name, `${kind}: p50`, attacked.p50, 'ms'),
    lineWithoutGoal(name, `${kind}: number`, attacked.count),
    // A machine on which the families fail without an attack shows nothing about the attack.
    asGuarantee(atLeast(name, `${kind} without an attack: success`, baseline.successPercent, 100, '%')),
    lineWithoutGoal(name, `${kind} without an attack: p99`, baseline.p99, 'ms'),
    lineWithoutGoal(name, `${kind} without an attack: p50`, baseline.p50, 'ms'),
  ];
}

function serviceLines(
  name: string,
  { processes, backends, shared }: CpuUse,
  seconds: number,
  report: AccountAttackReport,
): ResultLine[] {
  return [
    ...Object.entries(processes).map(([process, used]) => lineWithoutGoal(name, `cores of ${process}`, used / seconds)),
    lineWithoutGoal(name, 'cores of the database', (backends + shared) / seconds),
    lineWithoutGoal(name, 'cores of the attacker', report.cpuSeconds / report.seconds),
    ...Object.entries(report.counts).map(([what, count]) => lineWithoutGoal(name, `attack: ${what}`, count)),
  ];
}

/** Returns the measured values by kind for the recorded results. */
function toFigures(measurements: readonly RequestMeasurement[]): Record<string, KindMeasurement> {
  return Object.fromEntries(MEASURED_KINDS.map((kind) => [kind, ofKind(measurements, kind)]));
}
