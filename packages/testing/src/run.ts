import { startTestServer, stopTestServer } from './database/test-server.js';
import { closeSharedResources } from './process/once-per-process.js';
import { SharedServices } from './service/shared-services.js';

let services: SharedServices | undefined;

/** jest's global setup: starts the database server and the shared services of a run. */
export async function startRun(): Promise<void> {
  const directory = await startTestServer();
  services = await SharedServices.listen(directory);
}

/** jest's global teardown: stops the database server and the shared services of a run. */
export async function stopRun(): Promise<void> {
  await closeSharedResources();
  await services?.stop();
  services = undefined;
  await stopTestServer();
}
