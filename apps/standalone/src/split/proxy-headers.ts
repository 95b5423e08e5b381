import type { IncomingMessage } from 'node:http';

/** RFC 9110, 7.6.1: meant for the next hop alone. `upgrade` and its `connection` are put back for a WebSocket. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** Only the front may say who asked: what a caller claims is dropped (security.md A26). */
const SAID_BY_THE_FRONT = new Set([
  'forwarded',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** What an app is told: the caller's headers in their order and spelling, and whom the front saw. Names and values in turn. */
export function requestHeaders(request: IncomingMessage): string[] {
  const { headers, socket, method = 'GET' } = request;
  const dropped = new Set([...HOP_BY_HOP, ...SAID_BY_THE_FRONT, 'expect', ...namedByConnection(headers.connection)]);
  const kept = without(request.rawHeaders, dropped);
  kept.push('X-Forwarded-For', socket.remoteAddress ?? '', 'X-Forwarded-Proto', 'http');
  if (headers.host) kept.push('X-Forwarded-Host', headers.host);
  if (headers.upgrade) kept.push('Connection', 'Upgrade', 'Upgrade', headers.upgrade);
  // Otherwise the client would send an empty body in chunks, which is not the same to an app.
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (METHODS_WITH_BODY.has(method) && !hasLength) kept.push('Content-Length', '0');
  return kept;
}

/** What the caller is told: all that the app said but for its own connection. */
export function responseHeaders(answer: IncomingMessage): string[] {
  const dropped = new Set([...HOP_BY_HOP, 'transfer-encoding', ...namedByConnection(answer.headers.connection)]);
  return without(answer.rawHeaders, dropped);
}

function namedByConnection(connection: string | undefined): string[] {
  const framing = ['content-length', 'transfer-encoding', 'host', 'authorization'];
  // A caller could otherwise have the front strip what the app decides by.
  return (connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && !framing.includes(name));
}

function without(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at] ?? '', raw[at + 1] ?? ''];
    if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
