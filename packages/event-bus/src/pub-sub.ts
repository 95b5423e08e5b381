export interface PubSubSubscription {
  close(): void;
}

/**
 * Small notes to every process that listens, at most once: nothing is kept, and what is sent while the connection
 * is down is lost. Whoever needs more repairs it by asking again in `onReconnect`.
 */
export interface PubSub {
  /** True while what is published can arrive. */
  readonly connected: boolean;
  /** Sends JSON data to all subscriptions of exactly this subject; never throws for want of a connection. */
  publish(subject: string, data: unknown): void;
  /** Calls `listener` for each signal, one after the other; its errors are logged. */
  subscribe(subject: string, listener: (data: unknown) => void): PubSubSubscription;
  /** Called when signals may have been lost: the connection was down and is up again. */
  onReconnect(listener: () => void): PubSubSubscription;
  /** Called when the connection goes down. */
  onDisconnect(listener: () => void): PubSubSubscription;
  close(): Promise<void>;
}

/** Subjects are dot-separated tokens without wildcards: the same text on every adapter. */
export function assertSubject(subject: string): void {
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`Not a subject: ${JSON.stringify(subject)}`);
}
