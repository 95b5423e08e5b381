import type { GatewayClient, RestClient } from '@family-watch/client';
import { Narrator } from '../../src/narrator.js';
import { WatchConnection } from '../../src/watch/watch-connection.js';

/** A watch connection without a service. It records what the watch sends; the test delivers messages to the watch. */
export class FakeWatchConnection {
  /** The sent events and requests and the calls of `stop` and `start`, in order. */
  readonly sent: unknown[][] = [];
  readonly connection: WatchConnection;
  private readonly listeners = new Map<string, (message: unknown) => unknown>();

  /** @param responses - response bodies by path or event; other responses are empty objects */
  constructor(private readonly responses: Record<string, unknown> = {}) {
    const gateway = {
      onMessage: (kind: string, listener: (message: unknown) => unknown) => this.listeners.set(kind, listener),
      whenConnected: () => Promise.resolve(),
      send: (event: string, payload: unknown) => this.respond(event, payload),
      stop: () => void this.sent.push(['stop']),
      start: () => void this.sent.push(['start']),
    };
    const api = {
      GET: async (path: string) => ({ data: await this.respond(path) }),
      POST: async (path: string, { body }: { body: unknown }) => ({ data: await this.respond(path, body) }),
    };
    const silentNarrator = new Narrator({ write: () => true } as unknown as NodeJS.WritableStream);
    this.connection = new WatchConnection(
      1,
      api as unknown as RestClient,
      gateway as unknown as GatewayClient,
      silentNarrator,
    );
  }

  /** Delivers a message; resolves when the watch has handled it. */
  async deliver(kind: string, message: object): Promise<void> {
    await this.listeners.get(kind)?.(message);
  }

  private respond(name: string, payload?: unknown): Promise<unknown> {
    this.sent.push(payload === undefined ? [name] : [name, payload]);
    return Promise.resolve(this.responses[name] ?? {});
  }
}
