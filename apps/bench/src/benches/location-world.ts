import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { BenchDatabase } from '../servers/bench-database.js';
import { startGateway } from '../servers/gateway.js';
import type { App } from '../servers/app.js';
import { migrate } from '../servers/program.js';
import { until } from '../servers/server-process.js';
import { TokenIssuer } from '../servers/token-issuer.js';
import { startUserctx } from '../servers/userctx.js';
import { seedFamilies, tellOfFamilies } from '../servers/userctx-seed.js';
import type { SeededFamily } from '../servers/userctx-seed.js';
import { seedFences } from '../servers/fence-seed.js';
import type { BenchContext } from './bench-context.js';

const SETTLING_MS = 120_000;

/** userctx and gateway as processes of their own, with families in both that have a child, a watch and fences. */
export class LocationWorld {
  private constructor(
    readonly database: BenchDatabase,
    readonly userctx: App,
    readonly gateway: App,
    readonly families: readonly SeededFamily[],
    private readonly tokens: TokenIssuer,
  ) {}

  static async start(
    context: BenchContext,
    { families, fences }: { families: number; fences: number },
  ): Promise<LocationWorld> {
    const database = await context.database();
    await migrate('userctx', database.url);
    await migrate('gateway', database.url);
    const seeded = await seedFamilies(database, { families, children: 1 });
    await seedFences(database, seeded, fences);
    await database.query('ANALYZE');
    const natsPrefix = basename(database.name).replaceAll('_', '-').slice(-32);
    const common = { databaseUrl: database.url, natsUrl: context.nats.url, natsPrefix };
    const { profile } = context.options;
    const nodeArgs = profile ? ['--cpu-prof', `--cpu-prof-dir=${join(profile)}`] : [];
    const tokens = await TokenIssuer.start();
    context.atEnd(async () => tokens.stop());
    const userctx = await startUserctx({ ...common, dataDir: context.folder, nodeArgs });
    context.atEnd(() => userctx.process.stop());
    const gateway = await startGateway({ ...common, jwksUrl: tokens.jwksUrl, nodeArgs });
    context.atEnd(() => gateway.process.stop());
    const ready = `http://127.0.0.1:${gateway.endpoint.port}/health/ready`;
    await until('the gateway is ready', async () => (await fetch(ready)).ok);
    await tellOfFamilies(database, seeded);
    await until('the gateway knows every family', () => knowsAll(database, seeded.length), SETTLING_MS);
    return new LocationWorld(database, userctx, gateway, seeded, tokens);
  }

  /** Resolves when all that has happened was told: what connecting has caused is not what is measured. */
  async settled(): Promise<void> {
    await until('every event has reached its app', () => isSettled(this.database), SETTLING_MS);
  }

  /** What failed and waits for another attempt, by handler, with why. */
  failures(): Promise<{ handler: string; error: string | null; count: number }[]> {
    const parked = (app: string): string =>
      `SELECT handler, last_error AS error, count(*)::integer AS count FROM ${app}.parked GROUP BY 1, 2`;
    return this.database.query(`${parked('userctx')} UNION ALL ${parked('gateway')}`);
  }

  tokenOf(type: 'user' | 'watch', id: string): Promise<string> {
    return this.tokens.tokenOf({ type, id, sessionId: randomUUID() });
  }
}

async function isSettled(database: BenchDatabase): Promise<boolean> {
  const [row] = await database.query<{ waiting: boolean }>(
    `SELECT EXISTS (SELECT FROM userctx.outbox WHERE confirmed_at IS NULL)
         OR EXISTS (SELECT FROM gateway.outbox WHERE confirmed_at IS NULL) AS waiting`,
  );
  return row?.waiting === false;
}

async function knowsAll(database: BenchDatabase, count: number): Promise<boolean> {
  const [row] = await database.query<{ count: string }>('SELECT count(*) FROM gateway.family');
  return Number(row?.count) >= count;
}
