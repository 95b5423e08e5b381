/**
 * A fact that one room publishes. Payloads contain ids and plain values, and no personal data except locations. A
 * consumer that needs more data queries the owning app or stores a projection.
 */
export interface DomainEvent<Name extends string = string, Payload = unknown> {
  /** UUID, created when the event is appended to the outbox; primary key in each handler's inbox. */
  id: string;
  /** Name of the event, `<app>.<aggregate>.<fact>`, with the fact in the past tense. */
  name: Name;
  /** Events are ordered per key: the key is the id of the family or the principal whose data changed. */
  key: string;
  /** Unix milliseconds. */
  time: number;
  payload: Payload;
  /** W3C `traceparent` of the work that appended the event; absent unless this work is traced. */
  traceparent?: string;
}

/** An event before the outbox has set `id` and `time`. */
export type NewDomainEvent<Name extends string = string, Payload = unknown> = Omit<
  DomainEvent<Name, Payload>,
  'id' | 'time' | 'traceparent'
>;
