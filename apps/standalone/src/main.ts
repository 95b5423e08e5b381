import 'reflect-metadata';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { runProcess } from '@family-watch/platform/app/run-process';
import { describeSmsProvider } from '@family-watch/userctx/sms/sms-settings';
import { startStandalone } from './start-standalone.js';

/** Entry point of `npm start`: all apps in one process. */
await runProcess(async () => {
  const startedAt = performance.now();
  const environment = loadEnvironment();
  const server = await startStandalone(environment);
  const url = environment.PUBLIC_URL ?? server.url;
  if (server.problem) {
    process.stderr.write(`Family Watch serves only the health checks at ${url}. ${server.problem.message}\n`);
    return server;
  }
  const lines = [
    `Family Watch is ready at ${url} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
    `  console     ${url}/`,
    `  documents   ${url}/docs`,
    `  SMS codes   ${describeSmsProvider(environment)}`,
    `  database    ${server.database}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return server;
});
