import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { errorBody } from '@family-watch/platform/http/error.filter';

/** Time after which a restarted app is usually ready. */
const RETRY_AFTER_SECONDS = 2;

/** Responds with 404: no app has this route. */
export function respondNoRoute(path: string, response: ServerResponse): void {
  respondWithError('ROUTE_NOT_FOUND', path, response);
}

/** Responds with 503: the app of this route does not respond. */
export function respondAppUnavailable(path: string, response: ServerResponse): void {
  response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  respondWithError('OVERLOADED', path, response);
}

export function respondJson(status: number, body: object, response: ServerResponse): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Writes an error response to the socket of an upgrade request, which has no response object, and closes it. */
export function rejectUpgrade(socket: Duplex, status: 404 | 503): void {
  if (socket.destroyed) return;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function respondWithError(reason: ErrorReason, path: string, response: ServerResponse): void {
  const error = new ServiceError(reason);
  respondJson(error.status, errorBody(error, path), response);
}
