import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createLogger, NestLogger } from '@family-watch/platform/observability/logger';
import { exitProcess } from '@family-watch/platform/app/exit-process';
import { runProcess } from '@family-watch/platform/app/run-process';
import { OwnerJobs, startOwnerJobs } from './database/owner-jobs.js';

/**
 * Maintains the partitions of location points and deletes old entries of the audit list, which requires the privileges
 * of the owner of userctx's schema. With NATS_URL, also creates streams and consumers again that NATS has lost, which the
 * apps may not do. The maintenance runs in a separate process, so that no process that accepts network connections has
 * these privileges.
 * Maintenance runs every six hours. With `--once`, for a scheduler, the process runs maintenance once and fails if the
 * run fails.
 */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['MIGRATION_DATABASE_URL']);
  const owner = { url: environment.MIGRATION_DATABASE_URL ?? '', variableName: 'MIGRATION_DATABASE_URL' };
  if (process.argv.includes('--once')) {
    const jobs = new OwnerJobs(owner, environment);
    await jobs.maintainPartitions(Date.now());
    await jobs.deleteOldAuditEntries(Date.now());
    return exitProcess(0);
  }
  const logger = createLogger(environment.LOG_LEVEL, 'userctx maintenance');
  Logger.overrideLogger(new NestLogger(logger));
  const maintenance = await startOwnerJobs(owner, environment);
  logger.info('Maintenance started');
  // The timer of the job alone does not keep the process alive.
  const keepAliveTimer = setInterval(() => undefined, 2 ** 31 - 1);
  return {
    shutdownGraceSeconds: environment.SHUTDOWN_GRACE,
    stop: async () => {
      clearInterval(keepAliveTimer);
      await maintenance.close();
    },
  };
});
