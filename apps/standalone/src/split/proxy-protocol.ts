import type { ServerResponse, IncomingMessage, ClientRequest } from 'node:http';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { respondError, endWithError } from '@family-watch/platform/http/error-response';

/** Time after which a restarted app is usually ready. */
const RETRY_AFTER_SECONDS = 2;

/** Responds with 503: the app of this route does not respond, or the documents are not written yet. */
export function respondAppUnavailable(path: string, response: ServerResponse): void {
  respondError('OVERLOADED', path, response, { 'Retry-After': RETRY_AFTER_SECONDS });
}

export function respondJson(status: number, body: object, response: ServerResponse): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Hop-by-hop headers (RFC 9110, 7.6.1). The proxy adds `upgrade` and `connection` again for a WebSocket handshake. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** Headers that only the proxy may set, and that it removes from the client's requests. */
const SET_BY_THE_PROXY = new Set([
  'forwarded',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Returns the headers for the app: the client's, in order and spelling, and the client's address. Names and values
 * alternate.
 */
export function requestHeaders(request: IncomingMessage): string[] {
  const { headers, socket, method = 'GET', upgrade } = request as IncomingMessage & { upgrade: boolean };
  const dropped = new Set([...HOP_BY_HOP, ...SET_BY_THE_PROXY, 'expect', ...connectionOptions(headers.connection)]);
  const kept = omitHeaders(request.rawHeaders, dropped);
  kept.push('X-Forwarded-For', socket.remoteAddress ?? '', 'X-Forwarded-Proto', 'http');
  if (headers.host) kept.push('X-Forwarded-Host', headers.host);
  // Node ignores an Upgrade header on other paths than /socket.io/, and so does the proxy.
  if (upgrade) kept.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  // Without a length, Node would send an empty chunked body, which an app handles differently from no body.
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (METHODS_WITH_BODY.has(method) && !hasLength) kept.push('Content-Length', '0');
  return kept;
}

/** Returns the headers for the client: all of the app's except the hop-by-hop ones. */
export function responseHeaders(response: IncomingMessage): string[] {
  const dropped = new Set([...HOP_BY_HOP, 'transfer-encoding', ...connectionOptions(response.headers.connection)]);
  return omitHeaders(response.rawHeaders, dropped);
}

function connectionOptions(connection: string | undefined): string[] {
  const framing = ['content-length', 'transfer-encoding', 'host', 'authorization'];
  // A client must not be able to make the proxy remove a header of `framing` by a `Connection` header that names it.
  return (connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && !framing.includes(name));
}

function omitHeaders(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at] ?? '', raw[at + 1] ?? ''];
    if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/**
 * Requests the upgrade from the app and, when the app accepts, joins both connections. A rejection is forwarded and the
 * client's connection is closed: a further request on that connection would bypass the route table.
 */
export function tunnel(upstream: ClientRequest, socket: Duplex, head: Buffer): void {
  upstream.on('upgrade', (answer: IncomingMessage, behind: Duplex, first: Buffer) => {
    const headers = [...responseHeaders(answer), 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
    socket.write(formatResponseHead(answer, headers));
    if (first.length > 0) socket.write(first);
    if (head.length > 0) behind.write(head);
    pipeline(socket, behind, socket, () => {
      socket.destroy();
      behind.destroy();
    });
  });
  upstream.on('response', (answer) => {
    socket.write(formatResponseHead(answer, [...responseHeaders(answer), 'Connection', 'close']));
    pipeline(answer, socket, () => undefined);
  });
  upstream.on('error', () => endWithError('OVERLOADED', '/', socket));
  socket.on('close', () => upstream.destroy());
  upstream.end();
}

function formatResponseHead({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}
