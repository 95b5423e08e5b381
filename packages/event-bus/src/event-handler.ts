import type { EventName, EventOf } from './event-map.js';

/**
 * What an app does about an event of the map `Events`. Order is kept per key within one handler: events whose
 * order matters belong to one.
 */
export interface EventHandler<Events, Name extends EventName<Events> = EventName<Events>> {
  /** Unique in the app and never changed: the inbox remembers by it what was handled. */
  readonly name: string;
  /** Name or names of the events it takes. */
  readonly event: Name | readonly Name[];
  /**
   * Runs in a unit of work together with the mark that it ran; a rejection undoes both and the event is tried
   * again. No I/O but the app's own database.
   */
  handle(event: EventOf<Events, Name>): Promise<void>;
  /**
   * The same for many events, where that costs less than one after the other. With it, what several envelopes bring
   * runs in one unit of work, apart from other handlers; when that fails, each event is handled alone.
   */
  handleBatch?(events: readonly EventOf<Events, Name>[]): Promise<void>;
}

/** A handler as the machinery sees it, whatever its events are. */
export type AnyEventHandler = EventHandler<Record<string, unknown>>;

/** One event on its way to one handler. */
export interface EventDelivery {
  handler: AnyEventHandler;
  event: EventOf<Record<string, unknown>>;
}
