import { DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, EventName, EventOf } from '@family-watch/event-bus/event-map';
import { findDecoratedMethods, type DecoratedMethod } from './decorated-methods.js';

type EventNames = EventName<DomainEvents> | readonly EventName<DomainEvents>[];
type EventOfNames<Handled extends EventNames> = EventOf<
  DomainEvents,
  Handled extends readonly (infer Name extends EventName<DomainEvents>)[] ? Name : Handled & EventName<DomainEvents>
>;

/** The event, or one of the events, that a method handles. */
export type HandledEvent<Name extends EventName<DomainEvents>> = EventOf<DomainEvents, Name>;

/** Options of `@OnEvent` and `@OnEventBatch`; `Class` is the class of the decorated method. */
export interface EventHandlerOptions<Class = never> {
  /**
   * Name of the handler, `<app>.<context>.<action>`. The name must never change, because inbox rows refer to it. The
   * first segment is the app that handles the event.
   */
  readonly handler: `${'userctx' | 'gateway' | 'mcdisk'}.${string}`;
  /** The projection that the method updates, see `EventHandler.projection`. */
  readonly projection?: {
    readonly name: string;
    /** Returns the stored versions, see `Projection.findVersions`. */
    findVersions(instance: Class, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  };
}

type MethodDecoratorFor<Argument> = (
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<(argument: Argument) => Promise<void>>,
) => void;

interface HandlerMetadata {
  readonly event: EventNames;
  readonly options: EventHandlerOptions;
  readonly isBatch: boolean;
}

const HandlerMetadata = DiscoveryService.createDecorator<HandlerMetadata>();

/**
 * Calls the method for each of these events, in the transaction that stores the inbox row (see `EventHandler.handle`).
 * Events whose relative order matters belong to one method. The class must be a provider.
 */
export function OnEvent<const Handled extends EventNames, Class = never>(
  event: Handled,
  options: EventHandlerOptions<Class>,
): MethodDecoratorFor<EventOfNames<Handled>> {
  return HandlerMetadata({ event, options, isBatch: false });
}

/** Like `OnEvent` for a method that handles many events together, see `EventHandler.handleBatch`. */
export function OnEventBatch<const Handled extends EventNames, Class = never>(
  event: Handled,
  options: EventHandlerOptions<Class>,
): MethodDecoratorFor<readonly EventOfNames<Handled>[]> {
  return HandlerMetadata({ event, options, isBatch: true });
}

/**
 * Returns a handler for each method of a provider that is decorated with `OnEvent` or `OnEventBatch` and whose handler
 * name starts with the name of this app. Handlers that update a projection come first, so that the other handlers of
 * an event, which run in the same transaction, read the new version.
 */
export function findEventHandlers(discovery: DiscoveryService, app: string): EventHandler<DomainEvents>[] {
  return findDecoratedMethods<HandlerMetadata>(discovery, HandlerMetadata)
    .filter(({ metadata }) => metadata.options.handler.startsWith(`${app}.`))
    .map(toEventHandler)
    .toSorted((a, b) => Number(b.projection !== undefined) - Number(a.projection !== undefined));
}

function toEventHandler({ instance, metadata, call }: DecoratedMethod<HandlerMetadata>): EventHandler<DomainEvents> {
  const { event, options, isBatch } = metadata;
  const { handler: name, projection } = options;
  return {
    name,
    event,
    ...(projection && {
      projection: { name: projection.name, findVersions: (ids) => projection.findVersions(instance as never, ids) },
    }),
    handle: (received) => call(isBatch ? [received] : received),
    ...(isBatch && { handleBatch: (events) => call(events) }),
  };
}
