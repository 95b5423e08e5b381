import type { Socket } from 'node:net';
import { openConnection, randomAddress, type AttackTarget } from './raw-client.js';

const CONNECTIONS_PER_ADDRESS = 10;
const REOPEN_DELAY_MS = 100;

/** Counts of the connections of one kind that the attacker holds open. */
export interface HeldConnectionsReport {
  /** Minimum and median number of concurrently open connections. */
  minimum: number;
  median: number;
  /** Number of connections that the service has closed. */
  closedConnections: number;
}

/** Keeps a number of connections open. A connection that the service closes is opened again. */
export class HeldConnections {
  private openCount = 0;
  private closedCount = 0;
  private readonly openCountSamples: number[] = [];

  /**
   * @param occupy - occupies an open connection; receives the number of the connection, which begins with 0 and stays
   * the same when the connection is opened again
   */
  constructor(
    private readonly target: AttackTarget,
    private readonly occupy: (socket: Socket, index: number) => void,
  ) {}

  start(count: number): void {
    let address = '';
    for (let index = 0; index < count; index += 1) {
      if (index % CONNECTIONS_PER_ADDRESS === 0) address = randomAddress();
      this.open(address, index);
    }
  }

  /** Number of connections that are open at the moment. */
  get currentCount(): number {
    return this.openCount;
  }

  /** Records the number of open connections. Callers must call this method at a fixed interval. */
  recordOpenCount(): void {
    this.openCountSamples.push(this.openCount);
  }

  report(): HeldConnectionsReport {
    const counts = this.openCountSamples.toSorted((one, other) => one - other);
    return {
      minimum: counts[0] ?? 0,
      median: counts[counts.length >> 1] ?? 0,
      closedConnections: this.closedCount,
    };
  }

  private open(address: string, index: number): void {
    const socket = openConnection(this.target, address);
    let isOpen = false;
    // Reads the error response, because a socket with unread data emits no `close`.
    socket.resume();
    socket.once('connect', () => {
      isOpen = true;
      this.openCount += 1;
      this.occupy(socket, index);
    });
    socket.once('close', () => {
      if (isOpen) this.openCount -= 1;
      this.closedCount += 1;
      setTimeout(() => this.open(address, index), REOPEN_DELAY_MS);
    });
  }
}
