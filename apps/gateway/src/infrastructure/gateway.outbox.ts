import type { DomainEvents } from '@family-watch/domain/events';
import { Outbox } from '@family-watch/event-bus/outbox';

/** Outbox of the gateway. Events are appended in the transaction of the change that they publish. */
export class GatewayOutbox extends Outbox<DomainEvents> {}
