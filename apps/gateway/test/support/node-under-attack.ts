import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { Environment } from '@family-watch/platform/config/environment';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { user } from './gateway-test-environment.js';
import { versionsOf, type FamilyFixture } from './family-fixture.js';
import { RawSocket } from './raw-socket.js';
import { connect, createFamily } from './clients.js';
import { environment, node, startGateway } from './suite-gateway.js';

/**
 * A gateway that the tests of a suite attack, and a client of an unrelated family, whose messages must be delivered
 * before, during and after each test.
 */
export class NodeUnderAttack {
  fixture!: FamilyFixture;
  unrelatedClient!: TestClient;
  private readonly rawSockets: RawSocket[] = [];
  private version = 0;

  constructor(settings: Partial<Environment>) {
    startGateway(settings, 1);
    beforeAll(async () => {
      this.fixture = await createFamily();
    });
    beforeEach(async () => {
      this.unrelatedClient = await connect(this.fixture.guardian);
    });
    afterEach(() => this.end());
  }

  get url(): string {
    return node.url;
  }

  /** Closes the test's sockets and checks that the unrelated client was not affected. */
  private async end(): Promise<void> {
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
    return this.closeAtEnd(await RawSocket.openAuthenticated(this.url, { token: await environment.tokenOf(person) }));
  }

  /** Number of sessions of the node. */
  get sessionCount(): number {
    return node.app.get(ConnectionRegistryService, { strict: false }).allSessions().length;
  }
}

/** Expects the connection to be open and a heartbeat to be acknowledged. */
export async function expectResponsive(raw: RawSocket, id = 77): Promise<void> {
  raw.sendText(`42${id}["HeartbeatMessage",{}]`);
  await raw.waitFor(() => raw.texts.some((text) => text.startsWith(`43${id}[{"ok":true`)), 'a response');
}

interface PausableSocket {
  pause(): void;
  resume(): void;
}

/** Returns the TCP socket of a client, which reads nothing while it is paused. */
export function socketOf(client: TestClient): PausableSocket {
  const { transport } = client.socket.io.engine as unknown as { transport: { ws: { _socket: PausableSocket } } };
  return transport.ws._socket;
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
