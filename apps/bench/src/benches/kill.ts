import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClosedLoop } from '../load/closed-loop.js';
import { figure } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import type { AppInstance } from '../servers/app.js';
import { RoundRobin } from '../servers/round-robin.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment } from './gateway-environment.js';
import { faultsLine, verifyRun } from './run-verification.js';

const GATEWAYS = 2;
/** Small, so that memory holds what everybody saw in minutes of it. */
const WINDOW = 4;
const DRAIN_MS = 120_000;
const MAX_STARTS = 5;
/** Longest time between a restart and the next kill. */
const PAUSE_MS = 1_500;

/** Two gateways behind one address; one of them is killed at a random moment of full traffic, again and again. */
export async function kill(context: BenchContext): Promise<BenchResult> {
  const { times, pairs } = context.options;
  const world = await GatewayEnvironment.start(context);
  const gateways: AppInstance[] = [];
  for (let number = 0; number < GATEWAYS; number++) gateways.push(await world.startGateway());
  const front = await RoundRobin.start(gateways.map(({ endpoint }) => endpoint));
  context.onClose(async () => front.close());
  const clients = await world.connectPairs(front.endpoint, await world.seedFamilies(pairs));
  const loop = new ClosedLoop(clients.pairs, WINDOW, 'kill');
  loop.start();
  for (let time = 1; time <= times; time++) {
    await sleep(randomInt(PAUSE_MS));
    const victim = randomInt(GATEWAYS);
    await killAndRestart(context, world, gateways, victim);
    context.say(`kill: ${time} of ${times}, gateway ${victim}; ${loop.progress.received} messages received so far`);
  }
  const drained = await loop.finish(DRAIN_MS);
  const reconnects = clients.sessions.reduce((sum, session) => sum + session.reconnects, 0);
  clients.close();
  const faults = await verifyRun(context, 'kill', clients.recorder.history, clients.guarantees);
  const { sent, acknowledged, received } = loop.progress;
  const resent = clients.recorder.history.sent.filter(({ answers }) => answers.length > 1).length;
  const lines = [
    figure('kill', 'gateways killed', times),
    figure('kill', 'reconnections', reconnects),
    figure('kill', 'messages acknowledged', acknowledged),
    { bench: 'kill', what: 'everything arrived in the end', value: String(drained), goal: 'true', passed: drained },
    faultsLine('kill', faults.length),
  ];
  return { bench: 'kill', lines, figures: { times, reconnects, sent, acknowledged, received, resent, faults } };
}

/** As a supervisor does: a start that fails, because the machine is busy, is tried again. */
async function killAndRestart(
  context: BenchContext,
  world: GatewayEnvironment,
  gateways: AppInstance[],
  victim: number,
) {
  const { process: server, endpoint } = gateways[victim] as AppInstance;
  await server.kill();
  for (let attempt = 1; ; attempt++) {
    try {
      gateways[victim] = await world.startGateway({ port: endpoint.port });
      return;
    } catch (error) {
      if (attempt === MAX_STARTS || context.nats.process?.isRunning === false) throw error;
      context.say(`kill: a start failed and is tried again: ${String(error).split('\n').slice(0, 4).join(' ')}`);
    }
  }
}
