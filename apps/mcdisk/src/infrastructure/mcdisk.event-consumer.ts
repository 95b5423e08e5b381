import type { DomainEvents } from '@family-watch/domain/events';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';

/** Where the contexts of mcdisk register what they do about events. */
export class McdiskEventConsumer extends EventConsumer<DomainEvents> {}
