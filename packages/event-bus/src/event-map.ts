import type { DomainEvent, NewDomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';

/** Event names of `Events`, a map from event name to payload in which a context declares its events. */
export type EventName<Events> = keyof Events & string;

/** The event of the given name, or the union of all events of the map. */
export type EventOf<Events, Name extends EventName<Events> = EventName<Events>> = {
  [Each in Name]: DomainEvent<Each, Events[Each]>;
}[Name];

/** An event of the map before the outbox has assigned an id and a time. */
export type NewEventOf<Events, Name extends EventName<Events> = EventName<Events>> = {
  [Each in Name]: NewDomainEvent<Each, Events[Each]>;
}[Name];

/** Returns the app that publishes an event; event names are `<app>.<aggregate>.<fact>`. */
export function sourceAppOf(eventName: string): string {
  const dot = eventName.indexOf('.');
  if (dot < 1) throw new Error(`Event name ${eventName} does not start with an app`);
  return eventName.slice(0, dot);
}
