import { lazyRouteComponent } from '@tanstack/react-router';

const RETRY_DELAY_MS = 3_000;

/**
 * A page whose code is loaded when it is opened. If the code cannot be loaded, the router reloads the whole page, because
 * the service may have a new version. Without a connection, or while the service rejects requests, that would lose what
 * the person has written, so that the router waits instead and shows the page before.
 */
export const lazyPage: typeof lazyRouteComponent = (importPage, name) =>
  lazyRouteComponent(() => retryWhileUnavailable(importPage), name);

/** @throws the error of the import if the service is available */
export async function retryWhileUnavailable<Module>(importPage: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await importPage();
    } catch (error) {
      const isAvailable = await fetch('/', { method: 'HEAD' }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isAvailable) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
