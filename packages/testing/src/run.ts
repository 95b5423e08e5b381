import { startTestServer, stopTestServer } from './database/test-server.js';
import { endWhatSuitesShared } from './process/once-per-process.js';
import { SharedServices } from './service/shared-services.js';

let services: SharedServices | undefined;

/** jest's global setup: what all suites of a run use. */
export async function startRun(): Promise<void> {
  const folder = await startTestServer();
  services = await SharedServices.listen(folder);
}

/** jest's global teardown. */
export async function stopRun(): Promise<void> {
  await endWhatSuitesShared();
  await services?.stop();
  services = undefined;
  await stopTestServer();
}
