import type { EventName, EventOf } from './event-map.js';

/**
 * Handles events of the map `Events`. Order is guaranteed per key within one handler, so events whose relative order
 * matters belong in the same handler.
 */
export interface EventHandler<Events, Name extends EventName<Events> = EventName<Events>> {
  /** Unique in the app. Must never change: inbox rows refer to it. */
  readonly name: string;
  /** Name or names of the handled events. */
  readonly event: Name | readonly Name[];
  /**
   * Runs in the transaction that stores the inbox row. A rejection rolls back both, and the event is retried.
   * Must do no I/O except on the app's own database.
   */
  handle(event: EventOf<Events, Name>): Promise<void>;
  /**
   * Handles many events where that is cheaper than one by one. Events of several envelopes then run in one
   * transaction, separate from other handlers. If it fails, each event is handled alone by `handle`.
   */
  handleBatch?(events: readonly EventOf<Events, Name>[]): Promise<void>;
}

/** A handler of any events. */
export type AnyEventHandler = EventHandler<Record<string, unknown>>;

/** One event for one handler. */
export interface EventDelivery {
  handler: AnyEventHandler;
  event: EventOf<Record<string, unknown>>;
}
