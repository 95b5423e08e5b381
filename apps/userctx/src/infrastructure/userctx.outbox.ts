import type { DomainEvents } from '@family-watch/domain/events';
import { Outbox } from '@family-watch/event-bus/outbox';

/** Publishes events of userctx. Events are stored in the transaction of the change. */
export class UserctxOutbox extends Outbox<DomainEvents> {}
