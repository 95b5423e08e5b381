import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** An event was appended outside a unit of work: it could be published although the change was rolled back. */
export class OutboxOutsideTransactionError extends Error {
  override readonly name = 'OutboxOutsideTransactionError';

  constructor() {
    super('Events are appended only inside an open unit of work');
  }
}

/** Payloads are ids and plain values; one that is larger than an envelope may be could never leave the outbox. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError';

  constructor(event: string, bytes: number, limit: number) {
    super(`Payload of ${event} has ${bytes} bytes, ${limit} are allowed`);
  }
}

/** A bounded queue is full; nothing was taken, and the caller keeps what it has. Clients are asked to come again. */
export class BacklogFullError extends ServiceError {
  constructor(queue: string) {
    super('OVERLOADED', { retryAfter: 2, cause: new Error(`${queue} is full, nothing was taken`) });
  }
}

/** An expected consumer has not subscribed; confirming the envelope now would lose it for that consumer. */
export class ConsumerMissingError extends Error {
  override readonly name = 'ConsumerMissingError';

  constructor(consumer: string) {
    super(`Consumer ${consumer} is not subscribed`);
  }
}

/** The stream gave out a sequence number a second time: it was replaced, or lost its tail. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';

  constructor(sequence: number, known: number) {
    super(`Stream confirmed sequence ${sequence} although ${known} had been confirmed before`);
  }
}
