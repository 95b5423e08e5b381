import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { Environment } from '@family-watch/platform/config/environment';
import { ConnectionRegistryService } from '../../src/contexts/connections/connection-registry.service.js';
import type { GatewayNode } from './gateway-node.js';
import { GatewayTestEnvironment, user } from './gateway-test-environment.js';
import { FamilyFixture, versionsOf } from './family-fixture.js';
import { RawSocket } from './raw-socket.js';

/**
 * A node that is abused, and a family that has nothing to do with it: its messages must arrive before, during and
 * after.
 */
export class NodeUnderAttack {
  bystander!: TestClient;
  private readonly raws: RawSocket[] = [];
  private version = 0;

  private constructor(
    readonly world: GatewayTestEnvironment,
    readonly node: GatewayNode,
    readonly home: FamilyFixture,
  ) {}

  static async start(settings: Partial<Environment>): Promise<NodeUnderAttack> {
    const world = await GatewayTestEnvironment.start(settings);
    const node = await world.addNode();
    return new NodeUnderAttack(world, node, await FamilyFixture.in(world));
  }

  get url(): string {
    return this.node.url;
  }

  async begin(): Promise<void> {
    this.bystander = await this.world.connect(this.node, this.home.guardian);
  }

  /** Ends what a test left open, and looks whether the bystander noticed anything. */
  async end(): Promise<void> {
    for (const raw of this.raws.splice(0)) raw.destroy();
    await this.serveBystander();
    this.bystander.close();
    await this.bystander.waitForDisconnect();
  }

  /** @throws Error when a message or an answer does not arrive, or something else happened to the connection */
  async serveBystander(): Promise<void> {
    const { bystander, home } = this;
    this.version += 1;
    const wanted = this.version;
    await home.contactChanged(wanted);
    await bystander.waitFor(() => versionsOf(bystander).includes(wanted), 'a message for somebody else');
    const { ok } = await bystander.send('HeartbeatMessage', {});
    const troubles = [...bystander.problems, bystander.disconnectedBecause ?? []].flat();
    if (!ok || troubles.length > 0) throw new Error(`The bystander was touched: ${troubles.join()}`);
  }

  /** To be ended with the test. */
  keep(raw: RawSocket): RawSocket {
    this.raws.push(raw);
    return raw;
  }

  async open(): Promise<RawSocket> {
    return this.keep(await RawSocket.open(this.url));
  }

  async signIn(): Promise<RawSocket> {
    return this.keep(await RawSocket.signedIn(this.url, { token: await this.world.tokenOf(user()) }));
  }

  /** Sessions of the node. */
  get sessions(): number {
    return this.node.app.get(ConnectionRegistryService, { strict: false }).all().length;
  }
}

/** Still there, and answered. */
export async function expectAnswered(raw: RawSocket, id = 77): Promise<void> {
  raw.text(`42${id}["HeartbeatMessage",{}]`);
  await raw.until(() => raw.texts.some((text) => text.startsWith(`43${id}[{"ok":true`)), 'an answer');
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Bytes that this process holds on to. */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
