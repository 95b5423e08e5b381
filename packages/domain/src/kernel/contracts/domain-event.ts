/**
 * A fact that one context tells the others. Payloads are ids and plain values (locations excepted):
 * whoever needs more asks the owner or keeps a projection.
 */
export interface DomainEvent<Name extends string = string, Payload = unknown> {
  /** UUID, made when the event is appended to the outbox; the inbox key of every handler. */
  id: string;
  /** Past-tense fact, `<app>.<aggregate>.<fact>`. */
  name: Name;
  /** Order is kept per key: the id of the family or of the principal the fact is about. */
  key: string;
  /** Unix milliseconds. */
  time: number;
  payload: Payload;
}

/** What a caller hands to the outbox: everything but what the outbox itself makes. */
export type NewDomainEvent<Name extends string = string, Payload = unknown> = Omit<
  DomainEvent<Name, Payload>,
  'id' | 'time'
>;
