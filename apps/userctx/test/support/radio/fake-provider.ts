import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** A positioning service that answers what it is told to, and remembers what it was asked. */
export class FakeProvider {
  readonly asked: Asked[] = [];
  /** `null`: no answer at all. */
  answer: { status: number; text: string } | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server);
    server.on('request', (incoming, outgoing) => {
      void incoming
        .setEncoding('utf8')
        .toArray()
        .then((parts) => {
          const body = JSON.parse(parts.join('')) as Record<string, unknown>;
          provider.asked.push({ headers: incoming.headers, body });
          if (provider.answer) outgoing.writeHead(provider.answer.status).end(provider.answer.text);
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/geolocate`;
  }

  /** @param accuracy metres */
  knows(accuracy: number, fallback?: string): void {
    const text = JSON.stringify({ location: { lat: 45.38, lng: 14.14 }, accuracy, ...(fallback ? { fallback } : {}) });
    this.answer = { status: 200, text };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
