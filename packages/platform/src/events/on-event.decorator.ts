import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventName, EventOf } from '@family-watch/event-bus/event-map';

type Names = EventName<DomainEvents> | readonly EventName<DomainEvents>[];
type EventOfNames<Handled extends Names> = EventOf<
  DomainEvents,
  Handled extends readonly (infer Name extends EventName<DomainEvents>)[] ? Name : Handled & EventName<DomainEvents>
>;

/** Options of `@OnEvent` and `@OnEventBatch`. */
export interface EventHandlerOptions<Class = never> {
  /**
   * Name of the handler, `<app>.<context>.<action>`. The name must never change, because inbox rows refer to it. The
   * first segment is the app that handles the event.
   */
  readonly handler: `${'userctx' | 'gateway' | 'mcdisk'}.${string}`;
  /** The projection that the method stores, see `EventHandler.projection`. */
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
  readonly event: Names;
  readonly options: EventHandlerOptions;
  readonly isBatch: boolean;
}

const HandlerMetadata = DiscoveryService.createDecorator<HandlerMetadata>();

/**
 * Calls the method for each of these events, in the transaction that stores the inbox row (see `EventHandler.handle`).
 * Events whose relative order matters belong to one method. The class must be a provider.
 */
export function OnEvent<const Handled extends Names, Class = never>(
  event: Handled,
  options: EventHandlerOptions<Class>,
): MethodDecoratorFor<EventOfNames<Handled>> {
  return HandlerMetadata({ event, options, isBatch: false });
}

/** Like `OnEvent` for a method that handles many events together, see `EventHandler.handleBatch`. */
export function OnEventBatch<const Handled extends Names, Class = never>(
  event: Handled,
  options: EventHandlerOptions<Class>,
): MethodDecoratorFor<readonly EventOfNames<Handled>[]> {
  return HandlerMetadata({ event, options, isBatch: true });
}

/**
 * Returns a handler for each method of a provider that is decorated with `OnEvent` or `OnEventBatch` and whose handler
 * name starts with the name of this app. Handlers that store a projection come first: the other handlers of an event,
 * which run in the same transaction, read the new projection.
 */
export function findEventHandlers(discovery: DiscoveryService, app: string): EventHandler<DomainEvents>[] {
  const scanner = new MetadataScanner();
  const instances = new Set(discovery.getProviders().map(({ instance }) => instance as unknown));
  const handlers = [...instances].filter(isObject).flatMap((instance) =>
    scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object | null).flatMap((key) => {
      const method = instance[key];
      if (!isMethod(method)) return [];
      const metadata = Reflect.getMetadata(HandlerMetadata.KEY, method) as HandlerMetadata | undefined;
      return metadata?.options.handler.startsWith(`${app}.`) ? [toEventHandler(instance, method, metadata)] : [];
    }),
  );
  return handlers.toSorted((a, b) => Number(b.projection !== undefined) - Number(a.projection !== undefined));
}

type Method = (argument: unknown) => Promise<void>;

function isObject(instance: unknown): instance is Record<string, unknown> {
  return typeof instance === 'object' && instance !== null;
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

function toEventHandler(
  instance: object,
  method: Method,
  { event, options, isBatch }: HandlerMetadata,
): EventHandler<DomainEvents> {
  const { handler: name, projection } = options;
  return {
    name,
    event,
    ...(projection && {
      projection: { name: projection.name, findVersions: (ids) => projection.findVersions(instance as never, ids) },
    }),
    handle: (each) => method.call(instance, isBatch ? [each] : each),
    ...(isBatch && { handleBatch: (events) => method.call(instance, events) }),
  };
}
