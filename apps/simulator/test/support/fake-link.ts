import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { Narrator } from '../../src/narrator.js';
import { WatchConnection } from '../../src/watch/watch-link.js';

/** A watch's link to no service: what it says is written down in order, and messages are what the test brings. */
export class FakeLink {
  /** `event payload`, `POST address body`, `stop` and `start`, as they came. */
  readonly said: unknown[][] = [];
  readonly link: WatchConnection;
  private readonly listeners = new Map<string, (message: unknown) => unknown>();

  /** @param answers - bodies by address or event; an empty one otherwise */
  constructor(private readonly answers: Record<string, unknown> = {}) {
    const gateway = {
      onMessage: (kind: string, listener: (message: unknown) => unknown) => this.listeners.set(kind, listener),
      whenConnected: () => Promise.resolve(),
      send: (event: string, payload: unknown) => this.answer(event, payload),
      stop: () => void this.said.push(['stop']),
      start: () => void this.said.push(['start']),
    };
    const api = {
      GET: async (address: string) => ({ data: await this.answer(address) }),
      POST: async (address: string, { body }: { body: unknown }) => ({ data: await this.answer(address, body) }),
    };
    const silent = new Narrator({ write: () => true } as unknown as NodeJS.WritableStream);
    this.link = new WatchConnection(1, api as unknown as RestClient, gateway as unknown as GatewayClient, silent);
  }

  /** The service delivers a message; resolves when the watch has done what it does about it. */
  async deliver(kind: string, message: object): Promise<void> {
    await this.listeners.get(kind)?.(message);
  }

  private answer(name: string, payload?: unknown): Promise<unknown> {
    this.said.push(payload === undefined ? [name] : [name, payload]);
    return Promise.resolve(this.answers[name] ?? {});
  }
}
