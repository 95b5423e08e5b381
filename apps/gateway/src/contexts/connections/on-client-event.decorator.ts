import { SetMetadata } from '@nestjs/common';
import type { ClientToServerEvents } from '@family-watch/domain/messages/contracts/socket-events';

export const CLIENT_EVENT_METADATA = 'family-watch:receives';

/**
 * Marks the method that handles this client event. The domain's message kinds declare the permitted senders and the
 * payload of the event; the app does not start with an undeclared event.
 *
 * The method takes the validated payload and the {@link ClientSession}; the fields that it returns are added to the
 * response `{ok, time}`.
 */
export function OnClientEvent(event: keyof ClientToServerEvents): MethodDecorator {
  return SetMetadata(CLIENT_EVENT_METADATA, event);
}
