import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ConnectedPairs } from '../load/connected-pairs.js';
import { GatewayPair } from '../load/gateway-pairs.js';
import { GatewaySession } from '../load/gateway-session.js';
import type { GatewaySessionOptions } from '../load/gateway-session.js';
import { Recorder } from '../load/recorder.js';
import type { ServerEndpoint } from '../load/websocket.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startGateway } from '../servers/gateway.js';
import type { AppInstance } from '../servers/app.js';
import type { GatewayOptions } from '../servers/gateway.js';
import { migrate } from '../servers/program.js';
import { waitUntil } from '../servers/server-process.js';
import { FakeUserctx } from '../servers/fake-userctx.js';
import type { BenchContext } from './bench-context.js';
import { createFamilySnapshot } from './family.js';

/** A family of one guardian and one child with a watch, and their conversation. */
export interface BenchFamily {
  guardian: string;
  guardianToken: string;
  watch: string;
  watchToken: string;
  conversationId: string;
}

/** Guardians and watches that are connected, with what they see. */
export interface GatewayPairs extends ConnectedPairs {
  recorder: Recorder;
  sessions: GatewaySession[];
}

const FIRST_DID = 700_000_000_000;
const SETTLING_MS = 600_000;
const WATCH_HEARTBEAT = JSON.stringify({ battery: 82, charging: false, worn: true, signal: 3, signalMax: 4 });
const CONNECTIONS_AT_ONCE = 100;

/** A gateway's surroundings: its database, its bus, and userctx as the bench plays it. */
export class GatewayEnvironment {
  private lastDid = FIRST_DID;

  private constructor(
    private readonly context: BenchContext,
    readonly database: BenchDatabase,
    readonly userContext: FakeUserctx,
    private readonly natsPrefix: string,
  ) {}

  static async start(context: BenchContext): Promise<GatewayEnvironment> {
    const database = await context.database();
    await migrate('gateway', database.url);
    const natsPrefix = basename(database.name).replaceAll('_', '-').slice(-32);
    const userContext = await FakeUserctx.start(context.nats.url, natsPrefix);
    context.onClose(() => userContext.stop());
    return new GatewayEnvironment(context, database, userContext, natsPrefix);
  }

  async startGateway(options: Partial<GatewayOptions> = {}): Promise<AppInstance> {
    const { profile } = this.context.options;
    const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${join(profile)}`] : [];
    const gateway = await startGateway({
      databaseUrl: this.database.url,
      natsUrl: this.context.nats.url,
      natsPrefix: this.natsPrefix,
      jwksUrl: this.userContext.jwksUrl,
      ...options,
      nodeArgs: [...profiling, ...(options.nodeArgs ?? [])],
    });
    this.context.onClose(() => gateway.process.stop());
    const ready = `http://127.0.0.1:${gateway.endpoint.port}/health/ready`;
    await waitUntil('the gateway is ready', async () => (await fetch(ready)).ok);
    return gateway;
  }

  /** Makes families known to the gateway by userctx's events, and waits for the conversations that follow. */
  async seedFamilies(count: number): Promise<BenchFamily[]> {
    const families = Array.from({ length: count }, () => createFamilySnapshot(++this.lastDid));
    await this.userContext.publishFamilies(families);
    const known = new Map<string, string>();
    await waitUntil(
      'every family has its conversation',
      async () => {
        for (const { familyId, id } of await this.directConversations()) known.set(familyId, id);
        return families.every(({ familyId }) => known.has(familyId));
      },
      SETTLING_MS,
    );
    return Promise.all(families.map((family) => this.householdOf(family, known.get(family.familyId) ?? '')));
  }

  /** Sessions that are connected, a hundred at a time. */
  async openAll(options: readonly GatewaySessionOptions[]): Promise<GatewaySession[]> {
    const sessions = options.map((each) => new GatewaySession(each));
    for (let start = 0; start < sessions.length; start += CONNECTIONS_AT_ONCE) {
      await Promise.all(sessions.slice(start, start + CONNECTIONS_AT_ONCE).map((session) => session.open()));
    }
    return sessions;
  }

  async connectPairs(endpoint: ServerEndpoint, households: readonly BenchFamily[]): Promise<GatewayPairs> {
    const recorder = new Recorder();
    const senders = await this.openAll(households.map((household) => guardianOf(household, endpoint, recorder)));
    const receivers = await this.openAll(households.map((household) => watchOf(household, endpoint, recorder)));
    const pairs = households.map(
      ({ conversationId }, index) =>
        new GatewayPair(senders[index] as GatewaySession, receivers[index] as GatewaySession, conversationId),
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

  private directConversations(): Promise<{ familyId: string; id: string }[]> {
    return this.database.query(
      `SELECT family_id AS "familyId", conversation_id AS id
       FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
       WHERE type = 'DIRECT' AND member LIKE 'child:%'`,
    );
  }

  private async householdOf(family: FamilySnapshot, conversationId: string): Promise<BenchFamily> {
    const guardian = family.ownerUserId;
    const watch = String(family.children[0]?.did);
    const tokenOf = (type: 'user' | 'watch', id: string): Promise<string> =>
      this.userContext.issueToken({ type, id, sessionId: randomUUID() });
    return {
      guardian,
      watch,
      conversationId,
      guardianToken: await tokenOf('user', guardian),
      watchToken: await tokenOf('watch', watch),
    };
  }
}

export function guardianOf(
  household: BenchFamily,
  endpoint: ServerEndpoint,
  recorder: Recorder,
): GatewaySessionOptions {
  return { name: `user:${household.guardian}`, endpoint, token: household.guardianToken, recorder };
}

/** The watch reads what the guardian writes. */
export function watchOf(household: BenchFamily, endpoint: ServerEndpoint, recorder: Recorder): GatewaySessionOptions {
  const { watch, watchToken, conversationId } = household;
  const reads = [conversationId];
  return { name: `watch:${watch}`, endpoint, token: watchToken, recorder, reads, heartbeat: WATCH_HEARTBEAT };
}
