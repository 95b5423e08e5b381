import type { DomainEvents } from '@family-watch/domain/events';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';

/** Registry of the event handlers of mcdisk. */
export class McdiskEventConsumer extends EventConsumer<DomainEvents> {}
