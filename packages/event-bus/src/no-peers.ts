import { assertSubject, type Signals, type SignalSubscription } from './signals.js';

const NOTHING: SignalSubscription = { close: () => undefined };

/** Signals to the other processes where there are none. */
export class NoPeers implements Signals {
  readonly connected = true;

  publish(subject: string): void {
    assertSubject(subject);
  }

  subscribe(subject: string): SignalSubscription {
    assertSubject(subject);
    return NOTHING;
  }

  onReconnect(): SignalSubscription {
    return NOTHING;
  }

  onDisconnect(): SignalSubscription {
    return NOTHING;
  }

  async close(): Promise<void> {}
}
