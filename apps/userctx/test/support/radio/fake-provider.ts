import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface RecordedRequest {
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** A geolocation service with configurable responses. Records its requests. */
export class FakeProvider {
  readonly requests: RecordedRequest[] = [];
  /** Response to every request; with `null`, the service never responds. */
  response: { status: number; body: string } | null = null;

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
          provider.requests.push({ headers: incoming.headers, body });
          if (provider.response) outgoing.writeHead(provider.response.status).end(provider.response.body);
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/geolocate`;
  }

  /**
   * Sets the response to a location with `accuracy`.
   * @param accuracy metres
   */
  respondWith(accuracy: number, fallback?: string): void {
    const body = JSON.stringify({ location: { lat: 45.38, lng: 14.14 }, accuracy, ...(fallback ? { fallback } : {}) });
    this.response = { status: 200, body };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
