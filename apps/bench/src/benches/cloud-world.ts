import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CloudApi } from '../load/cloud-api.js';
import type { Endpoint } from '../load/websocket.js';
import type { App } from '../servers/app.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startMcdisk } from '../servers/mcdisk.js';
import { migrate } from '../servers/program.js';
import { until } from '../servers/server-process.js';
import { UserContext } from '../servers/user-context.js';
import type { BenchContext } from './bench-context.js';
import { familyOf } from './family.js';

const FIRST_DID = 710_000_000_000;

/** An owner and their family's cloud. */
export interface CloudOwner {
  userId: string;
  cloudID: string;
  token: string;
}

/** A family cloud's surroundings: its database, its disk, its bus, and userctx as the bench plays it. */
export class CloudWorld {
  private lastDid = FIRST_DID;

  private constructor(
    private readonly context: BenchContext,
    readonly database: BenchDatabase,
    private readonly userContext: UserContext,
    private readonly natsPrefix: string,
    /** Of the store. */
    readonly blobDir: string,
  ) {}

  static async start(context: BenchContext): Promise<CloudWorld> {
    const database = await context.database();
    await migrate('mcdisk', database.url);
    const natsPrefix = basename(database.name).replaceAll('_', '-').slice(-32);
    const userContext = await UserContext.start(context.nats.url, natsPrefix);
    context.atEnd(() => userContext.stop());
    const blobDir = join(context.folder, 'blobs');
    await mkdir(blobDir, { recursive: true });
    return new CloudWorld(context, database, userContext, natsPrefix, blobDir);
  }

  async startMcdisk(settings: Readonly<Record<string, string>> = {}): Promise<App> {
    const { profile } = this.context.options;
    const mcdisk = await startMcdisk({
      databaseUrl: this.database.url,
      natsUrl: this.context.nats.url,
      natsPrefix: this.natsPrefix,
      jwksUrl: this.userContext.jwksUrl,
      blobDir: this.blobDir,
      nodeArgs: profile ? ['--cpu-prof', `--cpu-prof-dir=${join(profile)}`] : [],
      settings,
    });
    this.context.atEnd(() => mcdisk.process.stop());
    return mcdisk;
  }

  /** Makes families known by userctx's events, and waits for their clouds. */
  async settle(count: number): Promise<CloudOwner[]> {
    const families = Array.from({ length: count }, () => familyOf(++this.lastDid));
    await this.userContext.tellOf(families);
    const ids = families.map(({ familyId }) => familyId);
    await until('every family has its cloud', async () => {
      const rows = await this.database.query('SELECT FROM mcdisk.family_cloud WHERE cloud_id = ANY($1)', [ids]);
      return rows.length === count;
    });
    return Promise.all(
      families.map(async ({ familyId, ownerUserId }) => ({
        userId: ownerUserId,
        cloudID: familyId,
        token: await this.userContext.tokenOf({ type: 'user', id: ownerUserId, sessionId: randomUUID() }),
      })),
    );
  }

  /** Connections of these owners; closed at the end. */
  async connect(endpoint: Endpoint, owners: readonly CloudOwner[]): Promise<CloudApi[]> {
    const apis = await Promise.all(owners.map((owner) => CloudApi.open(endpoint, owner)));
    this.context.atEnd(async () => apis.forEach((api) => api.close()));
    return apis;
  }
}
