import { STATUS_CODES, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import {
  surfaceOf,
  type CloudEnvelope,
  type PlainError,
  type WrappedEnvelope,
} from '@family-watch/domain/kernel/contracts/surface';

/** Returns the body of an error in the envelope of the surface that `url` belongs to. */
export function errorBody(error: ServiceError, url: string): PlainError | WrappedEnvelope<null> | CloudEnvelope<null> {
  const { code, message, reason, details } = error;
  const extra = { reason, ...(details ? { details } : {}) };
  switch (surfaceOf(url)) {
    case 'wrapped':
      return { code, message, data: null, ...extra };
    case 'cloud':
      return { code, data: null, msg: message, ...extra };
    default:
      return { code, message, ...extra };
  }
}

/** Responds with an error to a request that no route, and therefore no error filter, handles. */
export function respondError(
  reason: ErrorReason,
  url: string,
  response: ServerResponse,
  headers: OutgoingHttpHeaders = {},
): void {
  const { status, text } = renderError(reason, url);
  response.writeHead(status, { ...headers, ...contentHeaders(text) }).end(text);
}

/** Writes an error response to a connection that has no response object, and closes the connection. */
export function endWithError(reason: ErrorReason, url: string, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, text } = renderError(reason, url);
  const headers = Object.entries(contentHeaders(text)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  // Destroys the socket, because the client may never close it. The operating system still sends the accepted bytes.
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n${headers.join('')}\r\n${text}`,
    () => socket.destroy(),
  );
}

function renderError(reason: ErrorReason, url: string): { status: number; text: string } {
  const error = new ServiceError(reason);
  return { status: error.status, text: JSON.stringify(errorBody(error, url)) };
}

function contentHeaders(text: string): Record<string, string | number> {
  return { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
}
