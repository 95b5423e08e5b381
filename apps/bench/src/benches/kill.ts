import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClosedLoop } from '../load/closed-loop.js';
import { lineWithoutGoal, mustBeZero, type BenchResult } from '../report/result.js';
import type { AppInstance } from '../servers/app.js';
import { RoundRobinProxy } from '../servers/round-robin-proxy.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment } from './gateway-environment.js';
import { violationsLine, verifyRun } from './run-verification.js';

const GATEWAY_COUNT = 2;
/** Maximum number of unacknowledged messages per sender; low, to limit the memory of the recorded history. */
const MAX_UNACKNOWLEDGED = 4;
const DELIVERY_TIMEOUT_MS = 120_000;
const MAX_START_ATTEMPTS = 5;
/** Maximum time between a restart and the next kill. */
const MAX_PAUSE_MS = 1_500;

/** Repeatedly kills one of two gateways behind one endpoint, at random times under full load. */
export async function runKillBenchmark(context: BenchContext): Promise<BenchResult> {
  const { times, pairs } = context.options;
  const environment = await GatewayEnvironment.start(context);
  const gateways: AppInstance[] = [];
  for (let number = 0; number < GATEWAY_COUNT; number++) gateways.push(await environment.startGateway());
  const proxy = await RoundRobinProxy.start(gateways.map(({ endpoint }) => endpoint));
  context.onClose(async () => proxy.close());
  const clients = await environment.connectPairs(proxy.endpoint, await environment.seedFamilies(pairs));
  const loop = new ClosedLoop(clients.pairs, MAX_UNACKNOWLEDGED, 'kill');
  loop.start();
  for (let killNumber = 1; killNumber <= times; killNumber++) {
    await sleep(randomInt(MAX_PAUSE_MS));
    const gatewayIndex = randomInt(GATEWAY_COUNT);
    await killAndRestart(context, environment, gateways, gatewayIndex);
    context.log(
      `kill: ${killNumber} of ${times}, gateway ${gatewayIndex}; ${loop.progress.received} messages received so far`,
    );
  }
  const drained = await loop.finish(DELIVERY_TIMEOUT_MS);
  const reconnects = clients.sessions.reduce((sum, session) => sum + session.reconnects, 0);
  clients.close();
  const violations = await verifyRun(context, 'kill', clients.recorder.history, clients.guarantees);
  const { sent, acknowledged, received } = loop.progress;
  const resent = clients.recorder.history.sent.filter(({ acknowledgements }) => acknowledgements.length > 1).length;
  const lines = [
    lineWithoutGoal('kill', 'gateways killed', times),
    lineWithoutGoal('kill', 'reconnections', reconnects),
    lineWithoutGoal('kill', 'messages acknowledged', acknowledged),
    mustBeZero(
      'kill',
      'messages not acknowledged or not delivered',
      drained ? 0 : Math.max(1, sent - Math.min(acknowledged, received)),
    ),
    violationsLine('kill', violations.length),
  ];
  return {
    bench: 'kill',
    lines,
    figures: { times, reconnects, sent, acknowledged, received, resent, faults: violations },
  };
}

/** Kills a gateway and restarts it. Retries a failed start up to four times, as a supervisor does on a busy machine. */
async function killAndRestart(
  context: BenchContext,
  environment: GatewayEnvironment,
  gateways: AppInstance[],
  gatewayIndex: number,
) {
  const { process: server, endpoint } = gateways[gatewayIndex] as AppInstance;
  await server.kill();
  for (let attempt = 1; ; attempt++) {
    try {
      gateways[gatewayIndex] = await environment.startGateway({ port: endpoint.port });
      return;
    } catch (error) {
      if (attempt === MAX_START_ATTEMPTS || context.nats.process?.isRunning === false) throw error;
      context.log(`kill: a start failed and is retried: ${String(error).split('\n').slice(0, 4).join(' ')}`);
    }
  }
}
