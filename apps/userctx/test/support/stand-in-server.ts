import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that a stand-in of a provider has received. */
export interface StandInRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface StandInResponse {
  status: number;
  headers?: Record<string, string>;
  body: object | string;
}

/** How a stand-in responds: with a response, by closing the connection, or not at all. */
export type StandInReaction = StandInResponse | 'close' | 'hang';

/** A local HTTP server that stands in for a provider. */
export class StandInServer {
  private constructor(private readonly server: Server) {}

  static async start(react: (request: StandInRequest) => StandInReaction): Promise<StandInServer> {
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        const { method = '', url = '', headers } = request;
        const reaction = react({ method, url, headers, body: body.toString() });
        if (reaction === 'hang') return;
        if (reaction === 'close') return response.destroy();
        const text = typeof reaction.body === 'string' ? reaction.body : JSON.stringify(reaction.body);
        const responseHeaders = { 'content-type': 'application/json', ...reaction.headers };
        response.writeHead(reaction.status, responseHeaders).end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new StandInServer(server);
  }

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** Closes the connections of requests without a response. */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
