import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';

/**
 * Reason for which the service closes a connection. After a final reason, a connection with the same token would be
 * rejected again. After any other reason for the close, the client may reconnect immediately.
 */
export type CloseReason =
  'token expired' | 'token revoked' | 'flood' | 'slow reader' | 'revocations stale' | 'unavailable' | 'shutting down';

const FINAL_REASONS: readonly CloseReason[] = ['token expired', 'token revoked', 'flood'];

export function isFinalCloseReason(reason: CloseReason): boolean {
  return FINAL_REASONS.includes(reason);
}

/** Port: transport of one connection. */
export interface Channel {
  /** Bytes that the service has sent and the network has not accepted yet. */
  readonly bufferedBytes: number;
  hello(hello: Hello): void;
  messages(frame: MessagesFrame): void;
  /** Calls back once, when the network has accepted everything sent so far; never after the connection has closed. */
  onceDrained(callback: () => void): void;
  close(reason: CloseReason): void;
}
