import type { Closeable, EventBus } from '../../src/event-bus.js';
import { InProcessEventBus } from '../../src/in-process-event-bus.js';
import { type BusAdapter, CONSUMER_APP } from './bus-adapter.js';

/** Opens a bus that all simulated processes share; each process closes only its own subscriptions. */
export async function openInProcessAdapter(): Promise<BusAdapter> {
  const shared = new InProcessEventBus({ consumers: [CONSUMER_APP] });
  const subscriptionsOf = new Map<EventBus, Closeable[]>();

  const open = async (): Promise<EventBus> => {
    const own: Closeable[] = [];
    const bus: EventBus = {
      publish: (envelope) => shared.publish(envelope),
      position: () => shared.position(),
      subscribe: async (subscription) => {
        const closeable = await shared.subscribe(subscription);
        own.push(closeable);
        return closeable;
      },
      close: async () => {
        await Promise.all(own.map((closeable) => closeable.close()));
      },
    };
    subscriptionsOf.set(bus, own);
    return bus;
  };

  return {
    openBus: open,
    crash: async (bus) => {
      for (const closeable of subscriptionsOf.get(bus) ?? []) void closeable.close();
    },
    wipe: async () => undefined,
    dispose: () => shared.close(),
  };
}
