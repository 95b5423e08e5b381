import { SetMetadata } from '@nestjs/common';
import type { ClientToServerEvents } from '@family-watch/domain/messages/contracts/socket-events';

export const CLIENT_EVENT_METADATA = 'family-watch:receives';

/**
 * The method answers this event of clients. Who may send it and what its payload is stand in the domain's table of
 * kinds, so an event that is not declared there does not start.
 *
 * The method takes the validated payload and the {@link ClientSession}; what it returns is added to `{ok, time}`.
 */
export function OnClientEvent(event: keyof ClientToServerEvents): MethodDecorator {
  return SetMetadata(CLIENT_EVENT_METADATA, event);
}
