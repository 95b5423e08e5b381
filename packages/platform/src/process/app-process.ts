import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createRemoteJWKSet } from 'jose';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { Authenticator } from '../auth/authenticator.js';
import { TokenVerifier } from '../auth/token-verifier.js';
import type { VerificationKeySource } from '../auth/token-verifier.js';
import type { Environment } from '../config/environment.js';
import { openAppDatabase } from '../database/app-database.js';
import type { AppDatabase } from '../database/app-database.js';
import type { DatabaseDeclaration } from '../database/database-declaration.js';
import { HealthModule } from '../health/health.module.js';
import { createApplication } from '../http/create-application.js';
import type { Logger } from '../observability/logger.js';
import type { RunningProcess } from './run-process.js';

/** Dependencies of an app that runs as a separate process. */
export interface AppDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  logger: Logger;
  verificationKeys: VerificationKeySource;
}

export interface AppProcessOptions {
  declaration: DatabaseDeclaration;
  environment: Environment;
  logger: Logger;
  messaging: { revocations: RevocationFeed; pubSub: { connected: boolean }; close(): Promise<void> };
  /** Source of the keys that verify access tokens; JWKS_URL by default. userctx passes its own keys. */
  verificationKeys?: (app: () => NestFastifyApplication) => VerificationKeySource;
  module: (dependencies: AppDependencies) => DynamicModule;
  configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Starts one app as one process: opens the database, builds the app and listens (see "Two ways to run" in the
 * architecture document).
 */
export async function startAppProcess(options: AppProcessOptions): Promise<RunningProcess> {
  const { declaration, environment, logger, messaging } = options;
  const url = required(environment.DATABASE_URL, 'DATABASE_URL');
  const limits = { poolSize: environment.DATABASE_POOL_SIZE };
  const database = await openAppDatabase({ ...declaration, url, limits });
  const keys =
    options.verificationKeys?.(() => app) ?? createRemoteKeySource(required(environment.JWKS_URL, 'JWKS_URL'));
  const authenticator = new Authenticator(new TokenVerifier(keys), messaging.revocations);
  const health = HealthModule.forRoot({
    database: () => database.isReachable(),
    bus: () => messaging.pubSub.connected,
    revocations: () => messaging.revocations.isFresh,
  });
  const module = options.module({ database, environment, authenticator, logger, verificationKeys: keys });
  const app: NestFastifyApplication = await createApplication({
    module: { module: class AppRoot {}, imports: [module, health] },
    environment,
    logger,
    authenticator,
    configure: options.configure,
  });
  await app.listen(environment.PORT, environment.HOST);
  // Programs that start an app wait for the line "… is ready", so the wording must not change.
  logger.info({ url: await app.getUrl() }, `${declaration.name} is ready`);
  return {
    shutdownGraceSeconds: environment.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await messaging.close();
      await database.close();
    },
  };
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is required`);
  return value;
}

/**
 * Fetches keys from the JWKS. An unknown key id triggers a refresh, at most one per second, so that tokens signed with
 * a new key are soon accepted.
 */
function createRemoteKeySource(url: string): VerificationKeySource {
  return createRemoteJWKSet(new URL(url), { cooldownDuration: 1_000, timeoutDuration: 3_000 });
}
