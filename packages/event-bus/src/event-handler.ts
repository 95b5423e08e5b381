import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';

/**
 * What an app does about an event. For events of a map write `EventHandler<EventOf<Events, Name>>`.
 * Order is kept per key within one handler: events whose order matters belong to one.
 */
export interface EventHandler<Event extends DomainEvent = DomainEvent> {
  /** Unique in the app and never changed: the inbox remembers by it what was handled. */
  readonly name: string;
  /** Name or names of the events it takes. */
  readonly event: Event['name'] | readonly Event['name'][];
  /**
   * Runs in a unit of work together with the mark that it ran; a rejection undoes both and the event is tried
   * again. No I/O but the app's own database.
   */
  handle(event: Event): Promise<void>;
}

/** One event on its way to one handler. */
export interface Delivery {
  handler: EventHandler;
  event: DomainEvent;
}

export function eventNames(handler: EventHandler): readonly string[] {
  return typeof handler.event === 'string' ? [handler.event] : handler.event;
}
