/**
 * A fact that one context publishes. Payloads are ids and plain values, except for locations. A consumer that needs
 * more queries the owning app or keeps a projection.
 */
export interface DomainEvent<Name extends string = string, Payload = unknown> {
  /** UUID, created when the event is appended to the outbox; key of each handler's inbox. */
  id: string;
  /** Past-tense fact, `<app>.<aggregate>.<fact>`. */
  name: Name;
  /** Events are ordered per key: the id of the family or the principal that the fact is about. */
  key: string;
  /** Unix milliseconds. */
  time: number;
  payload: Payload;
}

/** An event as callers append it; the outbox sets `id` and `time`. */
export type NewDomainEvent<Name extends string = string, Payload = unknown> = Omit<
  DomainEvent<Name, Payload>,
  'id' | 'time'
>;
