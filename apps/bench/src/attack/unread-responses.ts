import { getRequest, openConnection, randomAddress, type AttackTarget } from './raw-client.js';

const CONNECTION_LIFETIME_MS = 2_000;
/** Connections that the service keeps open, because one request in progress and eight waiting requests are allowed. */
const CONNECTIONS_KEPT_OPEN = { connections: 16, requests: 9 };
/** A connection with more waiting requests than are allowed: about as many as Node's parser reads at once. */
const CONNECTIONS_CLOSED_BY_SERVICE = { connections: 1, requests: 1_400 };

/**
 * A client that pipelines requests for a large response from one address and reads no response. The client
 * cannot notice that the service has closed a connection, so it reopens all connections at a fixed interval.
 */
export class UnreadResponses {
  /** Number of connections that were opened. */
  openedCount = 0;
  private readonly address = randomAddress();

  constructor(
    private readonly target: AttackTarget,
    private readonly path: string,
  ) {}

  start(): void {
    for (const { connections, requests } of [CONNECTIONS_KEPT_OPEN, CONNECTIONS_CLOSED_BY_SERVICE]) {
      const bytes = Buffer.concat(Array.from({ length: requests }, () => getRequest(this.path)));
      for (let index = 0; index < connections; index += 1) this.open(bytes);
    }
  }

  private open(bytes: Buffer): void {
    this.openedCount += 1;
    const socket = openConnection(this.target, this.address);
    socket.pause();
    socket.write(bytes);
    setTimeout(() => {
      socket.destroy();
      this.open(bytes);
    }, CONNECTION_LIFETIME_MS);
  }
}
