import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { errorBody } from '@family-watch/platform/http/error.filter';

/** Seconds; apps that are restarted are back by then. */
const RETRY_AFTER = 2;

/** Nobody serves this address. */
export function respondNoRoute(path: string, response: ServerResponse): void {
  answerError('ROUTE_NOT_FOUND', path, response);
}

/** The app that serves this address does not answer now. */
export function respondAppUnavailable(path: string, response: ServerResponse): void {
  response.setHeader('Retry-After', RETRY_AFTER);
  answerError('OVERLOADED', path, response);
}

export function respondJson(status: number, body: object, response: ServerResponse): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** A connection that asked to be upgraded has no response object: the answer is written by hand, and it ends. */
export function rejectUpgrade(socket: Duplex, status: 404 | 503): void {
  if (socket.destroyed) return;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function answerError(reason: ErrorReason, path: string, response: ServerResponse): void {
  const error = new ServiceError(reason);
  respondJson(error.status, errorBody(error, path), response);
}
