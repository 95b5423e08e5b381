const closeFunctions: (() => Promise<void>)[] = [];

/**
 * Returns a function that creates a resource on its first call and returns the same resource on every call, so that the
 * suites of a jest worker share the resource. The resource is closed after the last suite of the run, or ends together
 * with the worker process.
 *
 * @param close - closes the resource, which would otherwise keep jest's main process alive with `--maxWorkers=1`
 */
export function oncePerProcess<Resource>(
  create: () => Promise<Resource>,
  close: (resource: Resource) => Promise<void>,
) {
  let resource: Promise<Resource> | undefined;
  return (): Promise<Resource> => {
    if (!resource) {
      const creating = create();
      resource = creating;
      closeFunctions.push(async () => close(await creating));
      exitWithJest();
    }
    return resource;
  };
}

/**
 * Closes the shared resources of this process. Errors that occurred when a resource was created are ignored, because a
 * suite has reported them.
 */
export async function closeSharedResources(): Promise<void> {
  await Promise.allSettled(closeFunctions.splice(0).map((close) => close()));
}

let isExitRegistered = false;

/**
 * Exits a worker when jest removes its message listener, after which jest waits only half a second. Open servers and
 * connections would keep the worker alive. No cleanup is needed, because the databases are dropped at the end of the
 * run.
 */
function exitWithJest(): void {
  if (isExitRegistered || process.send === undefined) return;
  isExitRegistered = true;
  process.on('removeListener', (event) => {
    if (event === 'message' && process.listenerCount('message') === 0) process.exit();
  });
}
