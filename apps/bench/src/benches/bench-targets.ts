import { BaselinePair } from '../load/baseline-pair.js';
import type { ConnectedPairs } from '../load/connected-pairs.js';
import { Recorder } from '../load/recorder.js';
import { XmppConnection } from '../load/xmpp-connection.js';
import { XmppPair } from '../load/xmpp-pair.js';
import { startBaselineServer, type BaselineRows } from '../servers/baseline/start-baseline.js';
import { measureCpu, type CpuUse } from '../servers/cpu-meter.js';
import { startEjabberd } from '../servers/ejabberd.js';
import type { ServerName } from '../options.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment } from './gateway-environment.js';

/** A chat server under test, which runs during all rounds but receives load only in its own rounds. */
export interface BenchTarget {
  name: ServerName;
  connect(): Promise<ConnectedPairs>;
  measureCpu(): Promise<() => Promise<CpuUse>>;
}

export function startBenchTarget(name: ServerName, context: BenchContext): Promise<BenchTarget> {
  const starters = {
    gateway: () => startGatewayTarget(context),
    bare: () => startBaselineTarget(context, 'bare', 'single-row'),
    'bare-same-rows': () => startBaselineTarget(context, 'bare-same-rows', 'rows-of-gateway'),
    ejabberd: () => startEjabberdTarget(context),
  };
  return starters[name]();
}

async function startGatewayTarget(context: BenchContext): Promise<BenchTarget> {
  const environment = await GatewayEnvironment.start(context);
  const gateway = await environment.startGateway();
  const families = await environment.seedFamilies(context.options.pairs);
  const processes = [gateway.process, ...(context.nats.process ? [context.nats.process] : [])];
  return {
    name: 'gateway',
    connect: () => environment.connectPairs(gateway.endpoint, families),
    measureCpu: () => measureCpu(processes, environment.database),
  };
}

async function startBaselineTarget(context: BenchContext, name: ServerName, rows: BaselineRows): Promise<BenchTarget> {
  const database = await context.createDatabase();
  const { process, endpoint } = await startBaselineServer(database, rows);
  context.onClose(() => process.stop());
  return {
    name,
    connect: async () => {
      const recorder = new Recorder();
      const numbers = Array.from({ length: context.options.pairs }, (_, number) => number);
      const pairs = await Promise.all(numbers.map((number) => BaselinePair.open(endpoint, number, recorder)));
      const guarantees = { ranges: false, conversationNumbers: true };
      return { pairs, recorder, guarantees, close: () => pairs.forEach((pair) => pair.close()) };
    },
    measureCpu: () => measureCpu([process], database),
  };
}

async function startEjabberdTarget(context: BenchContext): Promise<BenchTarget> {
  const database = await context.createDatabase();
  const numbers = Array.from({ length: context.options.pairs }, (_, number) => number);
  const users = numbers.flatMap((number) => [`sender${number}`, `receiver${number}`]);
  const { process, endpoint } = await startEjabberd(context.folder, database, users);
  context.onClose(() => process.stop());
  return {
    name: 'ejabberd',
    connect: async () => {
      const pairs: XmppPair[] = [];
      for (const number of numbers) {
        const sender = await XmppConnection.open(endpoint, `sender${number}`);
        pairs.push(new XmppPair(sender, await XmppConnection.open(endpoint, `receiver${number}`)));
      }
      return { pairs, close: () => pairs.forEach((pair) => pair.close()) };
    },
    measureCpu: () => measureCpu([process], database),
  };
}
