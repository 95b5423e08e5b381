import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to a server that takes the place of a payment provider. */
export interface ReceivedRequest {
  method: string;
  /** Path with the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface StandInResponse {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Starts a server on a free loopback port. */
export async function startStandInServer(
  respond: (request: ReceivedRequest) => StandInResponse,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const answer = respond({ method, path, headers, body });
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
