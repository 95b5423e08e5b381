import type { IncomingMessage } from 'node:http';

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
