import type { DomainEvent, NewDomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';

/** The apps that publish events. Each app may handle the events of all of them. */
export const EVENT_APPS = ['userctx', 'mcdisk', 'gateway'] as const;
export type EventApp = (typeof EVENT_APPS)[number];

/** The event names of `Events`. `Events` maps event names to payloads; each room declares such a map. */
export type EventName<Events> = keyof Events & string;

/** The event of `Events` with the given name, or the union of all events of `Events`. */
export type EventOf<Events, Name extends EventName<Events> = EventName<Events>> = {
  [Each in Name]: DomainEvent<Each, Events[Each]>;
}[Name];

/** An event of `Events` to which the outbox has not yet assigned an id and a time. */
export type NewEventOf<Events, Name extends EventName<Events> = EventName<Events>> = {
  [Each in Name]: NewDomainEvent<Each, Events[Each]>;
}[Name];

/**
 * Returns the app that publishes an event; event names are `<app>.<aggregate>.<fact>`.
 *
 * @throws Error if the event name does not start with an app
 */
export function sourceAppOf(eventName: string): string {
  const dot = eventName.indexOf('.');
  if (dot < 1) throw new Error(`Event name ${eventName} does not start with an app`);
  return eventName.slice(0, dot);
}

/** The local copy of another app's data that a handler updates. */
export interface Projection {
  /** Name of the projection in logs and metrics. */
  readonly name: string;
  /** Returns the stored versions of these objects; an object that is not stored is omitted. */
  findVersions(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/**
 * Handles events of the map `Events`. Order is guaranteed per key within one handler, so events whose relative order
 * matters belong in the same handler.
 */
export interface EventHandler<Events, Name extends EventName<Events> = EventName<Events>> {
  /** Name of the handler, unique in the app. The name must never change, because inbox rows refer to it. */
  readonly name: string;
  /** Name or names of the handled events. */
  readonly event: Name | readonly Name[];
  /**
   * The projection that this handler updates. While one of its events is in the retry queue or in the dead letters, the
   * projection of that event's key is unknown ({@link ProjectionMonitor}). `handle` must ignore a snapshot that is not
   * newer than the stored version.
   */
  readonly projection?: Projection;
  /**
   * `handle` runs in the transaction that stores the inbox row. If the handler rejects, its changes and the inbox row
   * are rolled back, and the event is retried. Implementations must do no I/O except on the app's own database.
   */
  handle(event: EventOf<Events, Name>): Promise<void>;
  /**
   * Handles many events together, for handlers where a batch is cheaper than single events. The events may come from
   * several envelopes; one transaction handles the whole batch and runs no other handler. If the transaction fails,
   * `handle` processes each event alone.
   */
  handleBatch?(events: readonly EventOf<Events, Name>[]): Promise<void>;
}

/** A handler whose event types are not known statically. */
export type AnyEventHandler = EventHandler<Record<string, unknown>>;

/** One event for one handler. */
export interface EventDelivery {
  handler: AnyEventHandler;
  event: EventOf<Record<string, unknown>>;
}
