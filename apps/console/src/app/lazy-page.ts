import { lazyRouteComponent } from '@tanstack/react-router';

const RETRY_DELAY_MS = 3_000;

/**
 * A page whose code is loaded when it is opened. If the code cannot be loaded, the router reloads the whole page, because
 * the service may have a new version. Without a connection that would lose what the person has written, so that the
 * router waits for the connection instead and shows the page before.
 */
export const lazyPage: typeof lazyRouteComponent = (importPage, name) =>
  lazyRouteComponent(() => retryWithoutConnection(importPage), name);

async function retryWithoutConnection<Module>(importPage: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await importPage();
    } catch (error) {
      const isConnected = await fetch('/', { method: 'HEAD' }).then(
        () => true,
        () => false,
      );
      if (isConnected) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
