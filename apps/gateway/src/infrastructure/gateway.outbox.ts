import type { DomainEvents } from '@family-watch/domain/events';
import { Outbox } from '@family-watch/event-bus/outbox';

/** Events of gateway leave through here, in the unit of work of the change they tell of. */
export class GatewayOutbox extends Outbox<DomainEvents> {}
