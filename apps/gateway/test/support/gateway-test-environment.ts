import { randomInt, randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { DomainEvents } from '@family-watch/domain/events';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import type { EventName, NewEventOf } from '@family-watch/event-bus/event-map';
import { InProcessEventBus } from '@family-watch/event-bus/in-process-event-bus';
import { InProcessPubSub } from '@family-watch/event-bus/in-process-pub-sub';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { partitionOf } from '@family-watch/event-bus/partition';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import type { Environment } from '@family-watch/platform/config/environment';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { oncePerProcess } from '@family-watch/testing/process/once-per-process';
import { gatewayDatabase } from '../../src/database/gateway-database.js';
import { GatewayNode } from './gateway-node.js';
import { silentLogger } from './silent-logger.js';
import { InProcessRevocations } from './revocations.js';

/** Clock that the test can move forward and stop. */
class TestClock {
  private offset = 0;
  private stoppedAt: number | undefined;

  readonly now = (): number => (this.stoppedAt ?? Date.now()) + this.offset;

  forward(milliseconds: number): void {
    this.offset += milliseconds;
  }

  /** From now on the time changes only with `forward`, so that the duration of a test does not affect what is due. */
  stop(): void {
    this.stoppedAt ??= Date.now();
  }
}

/** A gateway of one or more nodes on one database. The test publishes the events that userctx would publish. */
export class GatewayTestEnvironment {
  private static readonly startOnce = oncePerProcess(
    async () => {
      const testEnvironment = await GatewayTestEnvironment.start();
      testEnvironment.isShared = true;
      return testEnvironment;
    },
    (testEnvironment) => testEnvironment.end(),
  );
  private isShared = false;
  readonly clock = new TestClock();
  readonly revocations = new InProcessRevocations();
  /** Current data of userctx, with which nodes that are started later compare their projections. */
  snapshots: SnapshotSource | undefined;
  readonly pubSub = new InProcessPubSub(silentLogger);
  /** Event bus and pub/sub of all nodes; there is no other app. */
  readonly messaging: Messaging = {
    bus: new InProcessEventBus({ consumers: ['gateway'] }),
    pubSub: this.pubSub,
    peerPubSub: this.pubSub,
    revocations: this.revocations,
    openRevocationPublisher: () => Promise.reject(new Error('Only userctx revokes sessions')),
    close: async () => {
      await this.messaging.bus.close();
      await this.pubSub.close();
    },
  };
  private readonly nodes: GatewayNode[] = [];
  /** Number of nodes that the current suite uses. */
  private usedNodeCount = 0;
  private readonly clients: TestClient[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly keys: { privateKey: CryptoKey; publicKey: CryptoKey },
    private readonly settings: Partial<Environment>,
  ) {}

  static async start(settings: Partial<Environment> = {}): Promise<GatewayTestEnvironment> {
    const database = await createTestDatabase({ template: [gatewayDatabase] });
    return new GatewayTestEnvironment(database, await generateKeyPair(ACCESS_TOKEN_FORMAT.algorithm), settings);
  }

  /**
   * Returns the environment that all suites of a jest worker share. Each suite creates its own families in the shared
   * environment. The suite must not need its own settings, stop nodes, move the clock, or count rows that other suites
   * may have created.
   */
  static async shared(): Promise<GatewayTestEnvironment> {
    const testEnvironment = await GatewayTestEnvironment.startOnce();
    testEnvironment.usedNodeCount = 0;
    return testEnvironment;
  }

  /** Returns a further node for this suite. The shared environment reuses nodes of earlier suites. */
  async addNode(): Promise<GatewayNode> {
    const node = this.nodes[this.usedNodeCount] ?? (await GatewayNode.start(this, this.settings));
    this.nodes[this.usedNodeCount] = node;
    this.usedNodeCount += 1;
    return node;
  }

  /** Closes the clients, and the nodes unless the environment is shared. */
  async stop(): Promise<void> {
    for (const client of this.clients.splice(0)) client.close();
    if (!this.isShared) await this.end();
  }

  private async end(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    await this.messaging.close();
    await this.database.drop();
  }

  /** Publishes one event of userctx to the gateway; resolves when its handlers have committed. */
  async publish<Name extends EventName<DomainEvents>>(
    event: NewEventOf<DomainEvents, Name>,
    id: string = randomUUID(),
  ): Promise<void> {
    const envelope = createEnvelope('userctx', partitionOf(event.key), [{ ...event, id, time: this.clock.now() }]);
    await this.messaging.bus.publish(envelope);
  }

  /** Publishes several events of one key in one envelope. */
  async publishAll(key: string, events: readonly NewEventOf<DomainEvents, EventName<DomainEvents>>[]): Promise<void> {
    const time = this.clock.now();
    const complete = events.map((event) => ({ ...event, id: randomUUID(), time }));
    await this.messaging.bus.publish(createEnvelope('userctx', partitionOf(key), complete));
  }

  publishFamily(snapshot: FamilySnapshot): Promise<void> {
    return this.publish({ name: 'userctx.family.changed', key: snapshot.familyId, payload: snapshot });
  }

  /** Signs an access token as userctx does, valid for `lifetime` seconds. */
  tokenOf({ type, id, sessionId }: Principal, lifetime: number = ACCESS_TOKEN_FORMAT.lifetime): Promise<string> {
    const now = this.clock.now();
    return new SignJWT({ sid: sessionId, iat_ms: now })
      .setProtectedHeader({ alg: ACCESS_TOKEN_FORMAT.algorithm, typ: ACCESS_TOKEN_FORMAT.type, kid: 'test' })
      .setIssuer(ACCESS_TOKEN_FORMAT.issuer)
      .setAudience(ACCESS_TOKEN_FORMAT.audience)
      .setSubject(`${type}:${id}`)
      .setIssuedAt(Math.floor(now / 1_000))
      .setExpirationTime(Math.floor(now / 1_000) + lifetime)
      .sign(this.keys.privateKey);
  }

  /** Connects a client that sends this cursor. Resolves after `hello`. */
  async connect(
    node: GatewayNode,
    principal: Principal,
    cursor: { last?: number; epoch?: number } = {},
  ): Promise<TestClient> {
    const client = this.openClient(node, { token: await this.tokenOf(principal), ...cursor });
    await client.waitForHello();
    return client;
  }

  /** Starts to connect a client that sends this `auth` in the handshake; does not wait for `hello`. */
  openClient(node: GatewayNode, auth: object): TestClient {
    const client = new TestClient(node.url, auth);
    this.clients.push(client);
    return client;
  }
}

export function user(id: string = randomUUID()): Principal {
  return { type: 'user', id, sessionId: randomUUID() };
}

export function watch(did: number = randomInt(1, 2 ** 47)): Principal {
  return { type: 'watch', id: String(did), sessionId: randomUUID() };
}

/** Returns the same user on another phone, or the same watch with another token. */
export function anotherSession(principal: Principal): Principal {
  return { ...principal, sessionId: randomUUID() };
}

/** Returns a family with an owner, guardians with all permissions, and one child with or without a watch. */
export function familyOf(
  owner: Principal,
  guardians: readonly Principal[],
  watchPrincipal?: Principal,
): FamilySnapshot {
  const member = ({ id }: Principal, role: MemberSnapshot['role']): MemberSnapshot => ({
    userId: id,
    role,
    permissions: ['LOCATION', 'CHAT', 'CALL', 'ALERTS'],
    childPermissions: {},
  });
  return {
    familyId: randomUUID(),
    version: 1,
    ownerUserId: owner.id,
    dissolved: false,
    members: [member(owner, FAMILY_ROLE.OWNER), ...guardians.map((guardian) => member(guardian, FAMILY_ROLE.GUARDIAN))],
    children: [{ cid: randomUUID(), did: watchPrincipal ? Number(watchPrincipal.id) : null }],
  };
}

/** Returns the next version of the family with these changes. */
export function nextVersion(family: FamilySnapshot, change: Partial<FamilySnapshot>): FamilySnapshot {
  return { ...family, ...change, version: family.version + 1 };
}
