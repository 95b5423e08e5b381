import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { endWithError } from '@family-watch/platform/http/error-response';
import { responseHeaders } from './proxy-headers.js';

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
