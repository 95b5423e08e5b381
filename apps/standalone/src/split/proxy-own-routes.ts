import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondError } from '@family-watch/platform/http/error-response';
import { isForMissingPage, isSitePath, type Site } from '../site/site.js';
import type { Upstreams } from './split-plan.js';

const READINESS_TIMEOUT_MS = 2_000;

/** Time after which a restarted app is usually ready. */
const RETRY_AFTER_SECONDS = 2;

/** Responds with 503: the app of this route does not respond, or the documents are not written yet. */
export function respondAppUnavailable(path: string, response: ServerResponse): void {
  respondError('SERVICE_UNAVAILABLE', path, response, { 'Retry-After': RETRY_AFTER_SECONDS });
}

/** Returns whether the readiness check of an app succeeds. */
export async function isReady(upstream: URL): Promise<boolean> {
  try {
    const { ok } = await fetch(new URL('/health/ready', upstream), {
      signal: AbortSignal.timeout(READINESS_TIMEOUT_MS),
    });
    return ok;
  } catch {
    return false;
  }
}

/**
 * Creates the routes of the proxy itself: health of all apps, console and documents.
 *
 * @param findSite - returns console and documents; undefined until the documents have been written
 */
export function createOwnRoutes(upstreams: Upstreams, findSite: () => Site | undefined) {
  return (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    const isHealth = path === '/health/live' || path === '/health/ready';
    const isOwn = isHealth || isSitePath(path) || isForMissingPage(path, request);
    if (!isOwn) return false;
    if (request.method !== 'GET') respondError('METHOD_NOT_ALLOWED', path, response, { Allow: 'GET' });
    else if (path === '/health/live') respondJson(200, { status: 'ok' }, response);
    else if (path === '/health/ready') void respondReadiness(upstreams, response);
    else respondFile(findSite(), path, request, response);
    return true;
  };
}

function respondFile(site: Site | undefined, path: string, request: IncomingMessage, response: ServerResponse): void {
  if (site) void site.serve(path, request, response);
  else respondAppUnavailable(path, response);
}

async function respondReadiness(upstreams: Upstreams, response: ServerResponse): Promise<void> {
  const states = await Promise.all(
    Object.entries(upstreams).map(async ([app, upstream]) => ({ app, up: await isReady(upstream) })),
  );
  const away = states.filter(({ up }) => !up).map(({ app }) => app);
  if (away.length === 0) respondJson(200, { status: 'ok' }, response);
  else respondJson(503, { status: 'away', away }, response);
}

function respondJson(status: number, body: object, response: ServerResponse): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
