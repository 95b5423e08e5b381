import { assertSubject, type PubSub, type PubSubSubscription } from './pub-sub.js';

const NOOP_SUBSCRIPTION: PubSubSubscription = { close: () => undefined };

/** Peer pub/sub of a deployment with a single process: no messages are sent or received. */
export class NoopPubSub implements PubSub {
  readonly connected = true;

  publish(subject: string): void {
    assertSubject(subject);
  }

  subscribe(subject: string): PubSubSubscription {
    assertSubject(subject);
    return NOOP_SUBSCRIPTION;
  }

  onReconnect(): PubSubSubscription {
    return NOOP_SUBSCRIPTION;
  }

  onDisconnect(): PubSubSubscription {
    return NOOP_SUBSCRIPTION;
  }

  async close(): Promise<void> {}
}
