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
 * A node that a test attacks, and a client of an unrelated family, whose messages must be delivered before, during and
 * after the attack.
 */
export class NodeUnderAttack {
  unrelatedClient!: TestClient;
  private readonly rawSockets: RawSocket[] = [];
  private version = 0;

  private constructor(
    readonly testEnvironment: GatewayTestEnvironment,
    readonly node: GatewayNode,
    readonly fixture: FamilyFixture,
  ) {}

  static async start(settings: Partial<Environment>): Promise<NodeUnderAttack> {
    const testEnvironment = await GatewayTestEnvironment.start(settings);
    const node = await testEnvironment.addNode();
    return new NodeUnderAttack(testEnvironment, node, await FamilyFixture.createIn(testEnvironment));
  }

  get url(): string {
    return this.node.url;
  }

  async connectUnrelatedClient(): Promise<void> {
    this.unrelatedClient = await this.testEnvironment.connect(this.node, this.fixture.guardian);
  }

  /** Closes the test's sockets and checks that the unrelated client was not affected. */
  async end(): Promise<void> {
    for (const raw of this.rawSockets.splice(0)) raw.destroy();
    await this.expectUnrelatedClientServed();
    this.unrelatedClient.close();
    await this.unrelatedClient.waitForDisconnect();
  }

  /** @throws Error when a message or a response does not arrive, or the unrelated client's connection had a problem */
  async expectUnrelatedClientServed(): Promise<void> {
    const { unrelatedClient, fixture } = this;
    this.version += 1;
    const expected = this.version;
    await fixture.publishContactChange(expected);
    await unrelatedClient.waitFor(
      () => versionsOf(unrelatedClient).includes(expected),
      'a message for the unrelated client',
    );
    const { ok } = await unrelatedClient.send('HeartbeatMessage', {});
    const problems = [...unrelatedClient.problems, unrelatedClient.disconnectReason ?? []].flat();
    if (!ok || problems.length > 0) throw new Error(`The unrelated client was affected: ${problems.join()}`);
  }

  /** Registers a socket to be closed at the end of the test. */
  closeAtEnd(raw: RawSocket): RawSocket {
    this.rawSockets.push(raw);
    return raw;
  }

  async openWebSocket(): Promise<RawSocket> {
    return this.closeAtEnd(await RawSocket.openWebSocket(this.url));
  }

  async openAuthenticated(person = user()): Promise<RawSocket> {
    return this.closeAtEnd(
      await RawSocket.openAuthenticated(this.url, { token: await this.testEnvironment.tokenOf(person) }),
    );
  }

  /** Number of sessions of the node. */
  get sessionCount(): number {
    return this.node.app.get(ConnectionRegistryService, { strict: false }).allSessions().length;
  }
}

/** Expects the connection to be open and a heartbeat to be acknowledged. */
export async function expectResponsive(raw: RawSocket, id = 77): Promise<void> {
  raw.sendText(`42${id}["HeartbeatMessage",{}]`);
  await raw.waitFor(() => raw.texts.some((text) => text.startsWith(`43${id}[{"ok":true`)), 'a response');
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Returns the memory in use after garbage collection, in bytes. */
export function usedMemoryBytes(): number {
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
