import type { DomainEvents } from '@family-watch/domain/events';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';

/** Registers the event handlers of userctx. */
export class UserctxEventConsumer extends EventConsumer<DomainEvents> {}
