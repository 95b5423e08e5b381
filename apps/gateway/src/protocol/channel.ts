import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';

/**
 * Why the service ends a connection. After `final` reasons the same token would be refused again; after the
 * others the client does right to come back at once.
 */
export type CloseReason =
  'token expired' | 'token revoked' | 'flood' | 'slow reader' | 'revocations stale' | 'unavailable' | 'shutting down';

const FINAL: readonly CloseReason[] = ['token expired', 'token revoked', 'flood'];

export function isFinalCloseReason(reason: CloseReason): boolean {
  return FINAL.includes(reason);
}

/** The transport of one connection, as the protocol sees it. */
export interface Channel {
  /** Bytes that were sent and that the network has not taken yet. */
  readonly bufferedBytes: number;
  hello(hello: Hello): void;
  messages(frame: MessagesFrame): void;
  /** Calls back once, when the network has taken what was sent so far; never after the end of the connection. */
  onceDrained(callback: () => void): void;
  close(reason: CloseReason): void;
}
