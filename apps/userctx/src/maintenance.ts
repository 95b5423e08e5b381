import 'reflect-metadata';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createLogger } from '@family-watch/platform/observability/logger';
import { NestLogger } from '@family-watch/platform/observability/nest-logger';
import { runProcess } from '@family-watch/platform/process/run-process';
import { Logger } from '@nestjs/common';
import { LocationPartitionMaintainer } from './database/location-partition-maintainer.js';
import { maintainLocationPartitions } from './database/location-partitions.js';

/**
 * What needs the owner of userctx's schema while the service runs: the partitions of positions. A process of its own,
 * so that no process that hears the network has that right. It stays and works every six hours; `--once` is for a
 * scheduler, and fails when the work fails.
 */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['MIGRATION_DATABASE_URL']);
  const owner = { url: environment.MIGRATION_DATABASE_URL ?? '', variable: 'MIGRATION_DATABASE_URL' };
  if (process.argv.includes('--once')) {
    await maintainLocationPartitions(owner, { now: Date.now() });
    process.exit(0);
  }
  const logger = createLogger(environment.LOG_LEVEL, 'userctx maintenance');
  Logger.overrideLogger(new NestLogger(logger));
  const keeper = new LocationPartitionMaintainer(owner);
  await keeper.start();
  logger.info('Location partition maintenance started');
  // The keeper's timer alone does not keep a process alive.
  const alive = setInterval(() => undefined, 2 ** 31 - 1);
  return {
    stop: async () => {
      clearInterval(alive);
      await keeper.stop();
    },
  };
});
