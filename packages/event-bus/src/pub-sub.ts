export interface PubSubSubscription {
  close(): void;
}

/**
 * Ephemeral pub/sub, at most once; nothing is persisted, and messages sent while the connection is down are lost.
 * Subscribers that must not miss a change resynchronize in `onReconnect`.
 */
export interface PubSub {
  /** True while published messages can be delivered. */
  readonly connected: boolean;
  /** Sends JSON data to all subscriptions of exactly this subject. `publish` does not throw when disconnected. */
  publish(subject: string, data: unknown): void;
  /** Calls `listener` for each message, one message after the other; errors of the listener are logged. */
  subscribe(subject: string, listener: (data: unknown) => void): PubSubSubscription;
  /** Calls `listener` after a reconnect, when messages may have been lost. */
  onReconnect(listener: () => void): PubSubSubscription;
  /** Calls `listener` when the connection goes down. */
  onDisconnect(listener: () => void): PubSubSubscription;
  close(): Promise<void>;
}

/**
 * Checks that a subject consists of dot-separated tokens without wildcards; every adapter applies this check.
 *
 * @throws Error if the subject is invalid
 */
export function assertSubject(subject: string): void {
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`Invalid subject: ${JSON.stringify(subject)}`);
}
