import { startTestServer, stopTestServer } from './database/test-server.js';
import { closeSharedResources } from './process/once-per-process.js';
import { SharedServices } from './service/shared-services.js';

let sharedServices: SharedServices | undefined;

/** jest's global setup: starts the database server and the shared services of a run. */
export async function startRun(): Promise<void> {
  const directory = await startTestServer();
  sharedServices = await SharedServices.listen(directory);
}

/** jest's global teardown: stops the database server and the shared services of a run. */
export async function stopRun(): Promise<void> {
  await closeSharedResources();
  await sharedServices?.stop();
  sharedServices = undefined;
  await stopTestServer();
}
