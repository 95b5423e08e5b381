import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** An event was appended outside a transaction, so it could be published although the change is rolled back. */
export class OutboxOutsideTransactionError extends Error {
  override readonly name = 'OutboxOutsideTransactionError';

  constructor() {
    super('Events must be appended inside a transaction');
  }
}

/** The payload of an event exceeds the maximum size, which guarantees that every event fits into an envelope. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError';

  constructor(event: string, bytes: number, limit: number) {
    super(`The payload of ${event} has ${bytes} bytes; at most ${limit} are allowed`);
  }
}

/**
 * A queue has reached its maximum length and rejected all new items. Clients receive `OVERLOADED` and retry after two
 * seconds.
 */
export class BacklogFullError extends ServiceError {
  constructor(queue: string) {
    super('OVERLOADED', { retryAfter: 2, cause: new Error(`${queue} is full; nothing was accepted`) });
  }
}

/**
 * A consumer of the in-process bus has not subscribed yet, and would lose the events of an envelope that is confirmed
 * now.
 */
export class ConsumerMissingError extends Error {
  override readonly name = 'ConsumerMissingError';

  constructor(consumer: string) {
    super(`Consumer ${consumer} is not subscribed`);
  }
}

/** The stream reused a sequence number: it was recreated or lost its newest messages. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';

  constructor(sequence: number, highest: number) {
    super(`Stream returned sequence ${sequence} after it had already returned ${highest}`);
  }
}

/** No NATS server of NATS_URL is reachable or accepts the connection. The message names hosts and cause, no password. */
export class NatsUnavailableError extends Error {
  override readonly name = 'NatsUnavailableError';

  constructor(hosts: string, cause: unknown) {
    super(`Cannot connect to NATS of NATS_URL (${hosts}): ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * A stream or a durable consumer is missing, and this process's NATS user may not create it. With rights to do so, an
 * app creates it itself.
 */
export class EventBusNotSetUpError extends Error {
  override readonly name = 'EventBusNotSetUpError';

  constructor(missing: string) {
    super(
      `NATS has no ${missing}, and this user may not create it. Run the migrations of userctx with the NATS user setup ` +
        '(containers: docker compose -f docker/compose.yml up migrate-userctx).',
    );
  }
}
