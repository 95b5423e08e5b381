import type { DomainEvents } from '@family-watch/domain/events';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';

/** Event consumer of the gateway, with which its contexts register their event handlers. */
export class GatewayEventConsumer extends EventConsumer<DomainEvents> {}
