import { signUp, type SignedUpAccount } from '../load/sign-up.js';
import type { AppInstance } from '../servers/app.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { migrate } from '../servers/program.js';
import { startUserctx } from '../servers/userctx.js';
import type { BenchContext } from './bench-context.js';

/** Environment of userctx: its database, its event bus, and accounts that were signed up through its API. */
export interface UserctxEnvironment {
  database: BenchDatabase;
  userctx: AppInstance;
  /** URL of userctx, without a path. */
  url: string;
  accounts: readonly SignedUpAccount[];
}

export async function startUserctxEnvironment(
  context: BenchContext,
  accountCount: number,
): Promise<UserctxEnvironment> {
  const database = await context.createDatabase();
  await migrate('userctx', database.url);
  const userctx = await startUserctx({
    databaseUrl: database.url,
    natsUrl: context.nats.url,
    natsPrefix: database.natsPrefix,
    dataDir: context.folder,
    nodeArgs: context.profilingArgs,
  });
  context.onClose(() => userctx.process.stop());
  const url = `http://127.0.0.1:${userctx.endpoint.port}`;
  return { database, userctx, url, accounts: await signUp(url, context.folder, accountCount) };
}
