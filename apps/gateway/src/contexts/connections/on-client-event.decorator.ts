import { SetMetadata } from '@nestjs/common';
import type { ClientToServerEvents } from '@family-watch/domain/messages/contracts/socket-events';

export const CLIENT_EVENT_METADATA = 'family-watch:receives';

/**
 * Marks the method that handles this client event. Its permitted senders and its payload are declared in the domain's
 * message kinds; the app does not start with an event that is not declared there.
 *
 * The method takes the validated payload and the {@link ClientSession}; what it returns is added to `{ok, time}`.
 */
export function OnClientEvent(event: keyof ClientToServerEvents): MethodDecorator {
  return SetMetadata(CLIENT_EVENT_METADATA, event);
}
