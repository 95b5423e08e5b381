import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';

/** Trace and parent span of a W3C `traceparent`. */
export interface Traceparent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Parses a W3C `traceparent` of version 00; undefined for any other text. */
export function parseTraceparent(text: unknown): Traceparent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '0', 16) & 1) === 1 };
}

/** Connects the trace of the work that appends events with the traces of their handlers. */
export interface EventTracing {
  /** Returns the `traceparent` of the current work; undefined unless the work is sampled. */
  currentTraceparent(): string | undefined;
  /** Runs the handling of events as a part of the trace of the first traced event. */
  traceHandling<Result>(events: readonly DomainEvent[], work: () => Promise<Result>): Promise<Result>;
}

/** Events that one traced unit of work has appended to the outbox. */
export interface TracedEvents {
  traceparent: string;
  ids: readonly string[];
}

/** Maximum number of events whose trace is remembered until they are published. */
const MAX_TRACED_EVENTS = 10_000;

/**
 * Traces of unpublished events, in memory: the outbox does not store them. The trace of an event ends at the outbox if
 * another process publishes the event and has not received the trace.
 */
export class UnpublishedTraces {
  readonly #traceparents = new Map<string, string>();

  add({ traceparent, ids }: TracedEvents): void {
    for (const id of ids) this.#traceparents.set(id, traceparent);
    for (const oldest of this.#traceparents.keys()) {
      if (this.#traceparents.size <= MAX_TRACED_EVENTS) break;
      this.#traceparents.delete(oldest);
    }
  }

  /** Adds the traced events that another process has sent; ignores other data. */
  addReceived(data: unknown): void {
    const { traceparent, ids } = (data ?? {}) as Partial<TracedEvents>;
    if (traceparent === undefined || !parseTraceparent(traceparent) || !Array.isArray(ids)) return;
    this.add({ traceparent, ids: ids.slice(0, MAX_TRACED_EVENTS).filter((id) => typeof id === 'string') });
  }

  /** Returns the event with its `traceparent`, if it is known. */
  attachTo(event: DomainEvent): DomainEvent {
    const traceparent = this.#traceparents.get(event.id);
    return traceparent === undefined ? event : { ...event, traceparent };
  }

  delete(ids: readonly string[]): void {
    if (this.#traceparents.size > 0) for (const id of ids) this.#traceparents.delete(id);
  }
}
