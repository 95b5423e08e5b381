import type { INestApplicationContext } from '@nestjs/common';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { type EventBusStatus, findDegradations } from '@family-watch/event-bus/event-bus-status';
import type { Messaging } from '@family-watch/event-bus/messaging';

/** Access to the event bus of the apps in this process, for readiness. */
export interface EventBusHealth {
  isConnected: () => boolean;
  statuses: () => Promise<EventBusStatus[]>;
}

/**
 * @param app - returns the Nest application, which runs the event bus of one app, or in standalone of all three apps
 */
export function eventBusHealthOf({ pubSub }: Messaging, app: () => INestApplicationContext): EventBusHealth {
  return {
    isConnected: () => pubSub.connected,
    statuses: () =>
      Promise.all(
        app()
          .get(EventBusRuntime, { strict: false, each: true })
          .map((runtime) => runtime.status()),
      ),
  };
}

/** Returns one description per problem of the event bus in this process. */
export async function findBusDegradations({ isConnected, statuses }: EventBusHealth): Promise<string[]> {
  const degradations = (await statuses()).flatMap(findDegradations);
  return isConnected() ? degradations : ['event bus: not connected', ...degradations];
}
