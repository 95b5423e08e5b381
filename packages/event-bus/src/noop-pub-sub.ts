import { assertSubject, type PubSub, type PubSubSubscription } from './pub-sub.js';

const NOTHING: PubSubSubscription = { close: () => undefined };

/** Signals to the other processes where there are none. */
export class NoopPubSub implements PubSub {
  readonly connected = true;

  publish(subject: string): void {
    assertSubject(subject);
  }

  subscribe(subject: string): PubSubSubscription {
    assertSubject(subject);
    return NOTHING;
  }

  onReconnect(): PubSubSubscription {
    return NOTHING;
  }

  onDisconnect(): PubSubSubscription {
    return NOTHING;
  }

  async close(): Promise<void> {}
}
