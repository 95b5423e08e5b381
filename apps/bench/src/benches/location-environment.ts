import { randomUUID } from 'node:crypto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startGateway } from '../servers/gateway.js';
import type { AppInstance } from '../servers/app.js';
import { migrate } from '../servers/program.js';
import { TokenIssuer } from '../servers/token-issuer.js';
import { startUserctx } from '../servers/userctx.js';
import { seedFamilies, publishFamilies, type SeededFamily } from '../servers/userctx-seed.js';
import { seedFences } from '../servers/fence-seed.js';
import type { BenchContext } from './bench-context.js';

/** userctx and gateway in separate processes. Each family has one child, who has a watch and fences. */
export class LocationEnvironment {
  private constructor(
    readonly database: BenchDatabase,
    readonly userctx: AppInstance,
    readonly gateway: AppInstance,
    readonly families: readonly SeededFamily[],
    private readonly tokens: TokenIssuer,
  ) {}

  static async start(
    context: BenchContext,
    { families, fences }: { families: number; fences: number },
  ): Promise<LocationEnvironment> {
    const database = await context.createDatabase();
    await migrate('userctx', database.url);
    await migrate('gateway', database.url);
    const seeded = await seedFamilies(database, { families, children: 1 });
    await seedFences(database, seeded, fences);
    await database.query('ANALYZE');
    const { natsPrefix } = database;
    const common = { databaseUrl: database.url, natsUrl: context.nats.url, natsPrefix };
    const nodeArgs = context.profilingArgs;
    const tokens = await TokenIssuer.start();
    context.onClose(async () => tokens.stop());
    const userctx = await startUserctx({ ...common, dataDir: context.folder, nodeArgs });
    context.onClose(() => userctx.process.stop());
    const gateway = await startGateway({ ...common, jwksUrl: tokens.jwksUrl, nodeArgs });
    context.onClose(() => gateway.process.stop());
    const ready = `http://127.0.0.1:${gateway.endpoint.port}/health/ready`;
    await waitUntil('the gateway is ready', async () => (await fetch(ready)).ok);
    await publishFamilies(database, seeded);
    await waitUntil('the gateway has stored every family', () => hasAllFamilies(database, seeded.length));
    return new LocationEnvironment(database, userctx, gateway, seeded, tokens);
  }

  /** Waits until all events in both outboxes are published, so that events caused by connecting are not measured. */
  async waitUntilIdle(): Promise<void> {
    await waitUntil('every event is published', () => isOutboxEmpty(this.database));
  }

  /** Counts the events in the retry queues, by handler and error. */
  listFailures(): Promise<{ handler: string; error: string | null; count: number }[]> {
    const countParked = (app: string): string =>
      `SELECT handler, last_error AS error, count(*)::integer AS count FROM ${app}.parked GROUP BY 1, 2`;
    return this.database.query(`${countParked('userctx')} UNION ALL ${countParked('gateway')}`);
  }

  issueToken(type: 'user' | 'watch', id: string): Promise<string> {
    return this.tokens.issueToken({ type, id, sessionId: randomUUID() });
  }
}

async function isOutboxEmpty(database: BenchDatabase): Promise<boolean> {
  const [row] = await database.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT FROM userctx.outbox WHERE confirmed_at IS NULL)
         OR EXISTS (SELECT FROM gateway.outbox WHERE confirmed_at IS NULL) AS pending`,
  );
  return row?.pending === false;
}

async function hasAllFamilies(database: BenchDatabase, count: number): Promise<boolean> {
  const [row] = await database.query<{ count: string }>('SELECT count(*) FROM gateway.family');
  return Number(row?.count) >= count;
}
