import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CloudApi } from '../load/cloud-api.js';
import type { ServerEndpoint } from '../load/websocket.js';
import type { AppInstance } from '../servers/app.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startMcdisk } from '../servers/mcdisk.js';
import { migrate } from '../servers/program.js';
import { FakeUserctx } from '../servers/fake-userctx.js';
import type { BenchContext } from './bench-context.js';
import { createFamilySnapshot } from './family.js';

const FIRST_DID = 710_000_000_000;

/** An owner of a family, with the family's cloud and an access token. */
export interface CloudOwner {
  userId: string;
  cloudID: string;
  token: string;
}

/** Environment of mcdisk: its database, its blob directory, its event bus, and a fake userctx. */
export class CloudEnvironment {
  private lastDid = FIRST_DID;

  private constructor(
    private readonly context: BenchContext,
    readonly database: BenchDatabase,
    private readonly userctx: FakeUserctx,
    private readonly natsPrefix: string,
    /** Directory of the blob store. */
    readonly blobDir: string,
  ) {}

  static async start(context: BenchContext): Promise<CloudEnvironment> {
    const database = await context.createDatabase();
    await migrate('mcdisk', database.url);
    const { natsPrefix } = database;
    const userctx = await FakeUserctx.start(context.nats.url, natsPrefix);
    context.onClose(() => userctx.stop());
    const blobDir = join(context.folder, 'blobs');
    await mkdir(blobDir, { recursive: true });
    return new CloudEnvironment(context, database, userctx, natsPrefix, blobDir);
  }

  async startMcdisk(settings: Readonly<Record<string, string>> = {}): Promise<AppInstance> {
    const mcdisk = await startMcdisk({
      databaseUrl: this.database.url,
      natsUrl: this.context.nats.url,
      natsPrefix: this.natsPrefix,
      jwksUrl: this.userctx.jwksUrl,
      blobDir: this.blobDir,
      nodeArgs: this.context.profilingArgs,
      settings,
    });
    this.context.onClose(() => mcdisk.process.stop());
    return mcdisk;
  }

  /** Publishes families as userctx does, and waits until mcdisk has created their clouds. */
  async seedFamilies(count: number): Promise<CloudOwner[]> {
    const families = Array.from({ length: count }, () => createFamilySnapshot(++this.lastDid));
    await this.userctx.publishFamilies(families);
    const ids = families.map(({ familyId }) => familyId);
    await waitUntil('every family has its cloud', async () => {
      const rows = await this.database.query('SELECT FROM mcdisk.family_cloud WHERE cloud_id = ANY($1)', [ids]);
      return rows.length === count;
    });
    return Promise.all(
      families.map(async ({ familyId, ownerUserId }) => ({
        userId: ownerUserId,
        cloudID: familyId,
        token: await this.userctx.issueToken({ type: 'user', id: ownerUserId, sessionId: randomUUID() }),
      })),
    );
  }

  /** Opens one client per owner. The clients are closed at the end of the benchmark. */
  async connect(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): Promise<CloudApi[]> {
    const apis = await Promise.all(owners.map((owner) => CloudApi.open(endpoint, owner)));
    this.context.onClose(async () => apis.forEach((api) => api.close()));
    return apis;
  }
}
