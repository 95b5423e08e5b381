import type { ServerResponse } from 'node:http';
import { respondError } from '@family-watch/platform/http/error-response';

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
