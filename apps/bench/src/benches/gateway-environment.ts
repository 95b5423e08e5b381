import { randomUUID } from 'node:crypto';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { ConnectedPairs } from '../load/connected-pairs.js';
import { GatewayChatPair } from '../load/gateway-pairs.js';
import { GatewaySession, WATCH_HEARTBEAT, type GatewaySessionOptions } from '../load/gateway-session.js';
import { Recorder } from '../load/recorder.js';
import type { ServerEndpoint } from '../load/websocket.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startGateway, type GatewayOptions } from '../servers/gateway.js';
import type { AppInstance } from '../servers/app.js';
import { migrate } from '../servers/program.js';
import { FakeUserctx } from '../servers/fake-userctx.js';
import type { BenchContext } from './bench-context.js';
import { createFamilySnapshot } from './family.js';

/** A family of one guardian and one child with a watch, with their direct conversation. */
export interface BenchFamily {
  guardian: string;
  guardianToken: string;
  watch: string;
  watchToken: string;
  conversationId: string;
}

/** Connected guardians and watches, with the recorder of their messages. */
export interface GatewayPairs extends ConnectedPairs {
  recorder: Recorder;
  sessions: GatewaySession[];
}

const FIRST_DID = 700_000_000_000;
const SEED_TIMEOUT_MS = 600_000;
const CONNECT_BATCH_SIZE = 100;

/** Environment of a gateway: its database, its event bus, and a fake userctx. */
export class GatewayEnvironment {
  private lastDid = FIRST_DID;

  private constructor(
    private readonly context: BenchContext,
    readonly database: BenchDatabase,
    readonly userctx: FakeUserctx,
    private readonly natsPrefix: string,
  ) {}

  static async start(context: BenchContext): Promise<GatewayEnvironment> {
    const database = await context.createDatabase();
    await migrate('gateway', database.url);
    const { natsPrefix } = database;
    const userctx = await FakeUserctx.start(context.nats.url, natsPrefix);
    context.onClose(() => userctx.stop());
    return new GatewayEnvironment(context, database, userctx, natsPrefix);
  }

  async startGateway(options: Partial<GatewayOptions> = {}): Promise<AppInstance> {
    const gateway = await startGateway({
      databaseUrl: this.database.url,
      natsUrl: this.context.nats.url,
      natsPrefix: this.natsPrefix,
      jwksUrl: this.userctx.jwksUrl,
      ...options,
      nodeArgs: [...this.context.profilingArgs, ...(options.nodeArgs ?? [])],
    });
    this.context.onClose(() => gateway.process.stop());
    const ready = `http://127.0.0.1:${gateway.endpoint.port}/health/ready`;
    await waitUntil('the gateway is ready', async () => (await fetch(ready)).ok);
    return gateway;
  }

  /** Publishes families as userctx does, and waits until the gateway has created their conversations. */
  async seedFamilies(count: number): Promise<BenchFamily[]> {
    const families = Array.from({ length: count }, () => createFamilySnapshot(++this.lastDid));
    await this.userctx.publishFamilies(families);
    const conversationIds = new Map<string, string>();
    await waitUntil(
      'every family has its conversation',
      async () => {
        for (const { familyId, id } of await this.findDirectConversations()) conversationIds.set(familyId, id);
        return families.every(({ familyId }) => conversationIds.has(familyId));
      },
      SEED_TIMEOUT_MS,
    );
    return Promise.all(
      families.map((family) => this.toBenchFamily(family, conversationIds.get(family.familyId) ?? '')),
    );
  }

  /** Opens one session for each element of `options`, 100 sessions at a time. */
  async openAll(options: readonly GatewaySessionOptions[]): Promise<GatewaySession[]> {
    const sessions = options.map((sessionOptions) => new GatewaySession(sessionOptions));
    for (let start = 0; start < sessions.length; start += CONNECT_BATCH_SIZE) {
      await Promise.all(sessions.slice(start, start + CONNECT_BATCH_SIZE).map((session) => session.open()));
    }
    return sessions;
  }

  async connectPairs(endpoint: ServerEndpoint, families: readonly BenchFamily[]): Promise<GatewayPairs> {
    const recorder = new Recorder();
    const senders = await this.openAll(families.map((family) => guardianSessionOptions(family, endpoint, recorder)));
    const receivers = await this.openAll(families.map((family) => watchSessionOptions(family, endpoint, recorder)));
    const pairs = families.map(
      ({ conversationId }, index) =>
        new GatewayChatPair(senders[index] as GatewaySession, receivers[index] as GatewaySession, conversationId),
    );
    const sessions = [...senders, ...receivers];
    return {
      pairs,
      sessions,
      recorder,
      guarantees: { ranges: true, conversationNumbers: true },
      close: () => sessions.forEach((session) => session.close()),
    };
  }

  private findDirectConversations(): Promise<{ familyId: string; id: string }[]> {
    return this.database.query(
      `SELECT family_id AS "familyId", conversation_id AS id
       FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
       WHERE type = 'DIRECT' AND member LIKE 'child:%'`,
    );
  }

  private async toBenchFamily(family: FamilySnapshot, conversationId: string): Promise<BenchFamily> {
    const guardian = family.ownerUserId;
    const watch = String(family.children[0]?.did);
    const issueToken = (type: 'user' | 'watch', id: string): Promise<string> =>
      this.userctx.issueToken({ type, id, sessionId: randomUUID() });
    return {
      guardian,
      watch,
      conversationId,
      guardianToken: await issueToken('user', guardian),
      watchToken: await issueToken('watch', watch),
    };
  }
}

export function guardianSessionOptions(
  family: BenchFamily,
  endpoint: ServerEndpoint,
  recorder: Recorder,
): GatewaySessionOptions {
  return { name: `user:${family.guardian}`, endpoint, token: family.guardianToken, recorder };
}

/** Returns the options of the watch's session, which reads the direct conversation. */
export function watchSessionOptions(
  family: BenchFamily,
  endpoint: ServerEndpoint,
  recorder: Recorder,
): GatewaySessionOptions {
  const { watch, watchToken, conversationId } = family;
  const readConversationIds = [conversationId];
  return {
    name: `watch:${watch}`,
    endpoint,
    token: watchToken,
    recorder,
    readConversationIds,
    heartbeat: WATCH_HEARTBEAT,
  };
}
