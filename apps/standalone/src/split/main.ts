import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { runProcess } from '@family-watch/platform/app/run-process';
import { describeSmsProvider } from '@family-watch/userctx/sms/sms-settings';
import { startSplit } from './start-split.js';

/** Entry point of `npm run dev -- --split`: each app as a separate process, as in production, on one machine. */
const startCancellation = new AbortController();
await runProcess(async () => {
  const begun = performance.now();
  const environment = loadEnvironment();
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const server = await startSplit(environment, log, startCancellation.signal);
  const url = environment.PUBLIC_URL ?? server.url;
  const lines = [
    `Family Watch is ready at ${url} after ${((performance.now() - begun) / 1000).toFixed(1)} s`,
    `  console     ${url}/`,
    `  documents   ${url}/docs`,
    `  SMS codes   ${describeSmsProvider(environment)}`,
    `  database    ${server.database}`,
    ...Object.entries(server.upstreams).map(([app, upstream]) => `  ${app.padEnd(11)} ${upstream.origin}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return server;
}, startCancellation);
