import { afterAll, beforeAll } from '@jest/globals';
import type { Abstract, Type } from '@nestjs/common';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { Environment } from '@family-watch/platform/config/environment';
import type { GatewayNode } from './gateway-node.js';
import { GatewayTestEnvironment } from './gateway-test-environment.js';

/** The gateway of the running suite; a process runs its suites one after another. */
export let environment: GatewayTestEnvironment;
/** Two nodes on one database: behaviour must not depend on the node that a client is connected to. */
export let node: GatewayNode;
/** The same as `node` if the gateway has one node. */
export let otherNode: GatewayNode;

/** Declares that the suite uses the gateway that all suites of the process share ({@link GatewayTestEnvironment.shared}). */
export function useSharedGateway(): void {
  declareGateway(() => GatewayTestEnvironment.shared(), 2);
}

/**
 * Declares that the suite starts a gateway of its own.
 *
 * @param settings - a function if they are known only when the suite runs
 * @param snapshots - current data of userctx
 */
export function startGateway(
  settings: Partial<Environment> | (() => Partial<Environment>) = {},
  nodeCount: 1 | 2 = 2,
  snapshots?: SnapshotSource,
): void {
  declareGateway(async () => {
    const opened = await GatewayTestEnvironment.start(typeof settings === 'function' ? settings() : settings);
    opened.snapshots = snapshots;
    return opened;
  }, nodeCount);
}

function declareGateway(open: () => Promise<GatewayTestEnvironment>, nodeCount: number): void {
  let opened: GatewayTestEnvironment | undefined;
  beforeAll(async () => {
    opened = await open();
    environment = opened;
    node = await environment.addNode();
    otherNode = nodeCount > 1 ? await environment.addNode() : node;
  });
  afterAll(() => opened?.stop());
}

/** Executes a statement in the gateway's database. */
export const query = <Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
  node.unitOfWork.executor.query<Row>(sql, parameters);

/** Returns a service of a node. */
export const serviceOf = <Service>(type: Type<Service> | Abstract<Service>, at: GatewayNode = node): Service =>
  at.app.get(type, { strict: false });
