import type { DomainEvents } from '@family-watch/domain/events';
import { Outbox } from '@family-watch/event-bus/outbox';

/** Events of mcdisk leave through here, in the unit of work of the change they tell of. */
export class McdiskOutbox extends Outbox<DomainEvents> {}
