import { timingSafeEqual } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import type { MinimumAppVersion } from '@family-watch/domain/operators/contracts/app-release';
import type {
  DataExportSource,
  ExportPage,
  ExportPageRequest,
} from '@family-watch/domain/privacy/contracts/data-export';
import { MAX_NAMES_PER_CALL, type NameKey, type NameSource } from '@family-watch/domain/kernel/contracts/display-names';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  MAX_SNAPSHOTS_PER_CALL,
  type SnapshotSource,
  type ContentSource,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import {
  MAX_DEAD_LETTERS,
  MAX_DIAGNOSED_PRINCIPALS,
  type AppName,
} from '@family-watch/domain/operators/contracts/app-administration';
import type {
  AppAdministration,
  DeadLetterQuery,
  DeliveryDiagnosisRequest,
  DeliveryDiagnosisSource,
} from '@family-watch/domain/operators/app-administration';
import { hashCapabilityToken } from '../auth/random-codes.js';
import type { Environment } from '../config/environment.js';
import { DatabaseUnavailableError } from '../errors/database-errors.js';
import { currentTraceparent } from '../observability/tracing.js';
import { currentWork, runAs, WORK_PRIORITIES, type Work } from '../concurrency/work-priority.js';
import { errorBody } from './error-response.js';
import { isBusyReason } from '../concurrency/semaphore.js';
import { InternalCallError } from '../errors/internal-call-error.js';

/** Path prefix of the operations that apps call on other apps; the edge does not forward requests with this prefix. */
const INTERNAL_PREFIX = '/internal/';

/** An operation for other apps of the deployment. */
export interface InternalOperation {
  /**
   * JSON schema of the request's properties. All properties are required; properties that the schema does not declare
   * are removed.
   */
  request: Readonly<Record<string, object>>;
  run: (request: never) => Promise<unknown>;
}

export type InternalOperations = Readonly<Record<string, InternalOperation>>;

/**
 * Serves `POST /internal/<name>` for callers with the deployment's INTERNAL_SECRET. Callers without the secret get the
 * response for an unknown route. The internal routes bypass the guard and the rate limits for clients, so they must
 * never be reachable through the edge.
 */
export function serveInternalOperations(
  app: NestFastifyApplication,
  secret: string,
  operations: InternalOperations,
): void {
  const fastify = app.getHttpAdapter().getInstance();
  const expected = hashCapabilityToken(secret);
  const notFound = new ServiceError('ROUTE_NOT_FOUND');
  const onRequest: onRequestHookHandler = (received, reply, done) => {
    const [, token = ''] = /^Bearer (\S+)$/.exec(received.headers.authorization ?? '') ?? [];
    if (timingSafeEqual(hashCapabilityToken(token), expected)) done();
    else void reply.code(notFound.status).send(errorBody(notFound, received.originalUrl));
  };
  for (const [name, { request, run }] of Object.entries(operations)) {
    fastify.post(`${INTERNAL_PREFIX}${name}`, {
      schema: { body: { type: 'object', required: Object.keys(request), properties: request } },
      onRequest,
      handler: async ({ body, headers }) => {
        const { workPriority, owner } = parseWork(headers[WORK_HEADER]);
        return runAs(workPriority, () => run(body as never), owner);
      },
    });
  }
}

/**
 * Header with the priority and the owner of the work for which an app calls another app, so that work for a caller
 * counts as the caller's in both apps.
 */
const WORK_HEADER = 'x-work';

function formatWork({ workPriority, owner = '' }: Work): string {
  return `${workPriority} ${owner}`;
}

/** Returns internal work for a missing or unknown value, as of another release. */
function parseWork(header: string | string[] | undefined): Work {
  const [name, owner] = String(header ?? '').split(' ');
  const workPriority = WORK_PRIORITIES.find((priority) => priority === name);
  return workPriority ? { workPriority, owner: owner || undefined } : { workPriority: 'internal' };
}

export type CallInternal = <Response>(name: string, request?: object) => Promise<Response>;

/** Milliseconds after which a call fails: an app must notice within two seconds that another app is unreachable. */
const CALL_TIMEOUT_MS = 1_200;

/** Milliseconds after which a call for an operator fails. */
const OPERATOR_CALL_TIMEOUT_MS = 5_000;

/**
 * Returns a function that calls the internal operations of another app. A call throws a DatabaseUnavailableError if the
 * other app cannot use its database, the ServiceError OVERLOADED or TOO_MANY_CONCURRENT_REQUESTS if it has too much work,
 * and an InternalCallError for every other failure.
 *
 * @param baseUrl - URL of the app without path
 */
export function internalCaller(baseUrl: string, secret: string, timeoutMs = CALL_TIMEOUT_MS): CallInternal {
  return async <Response>(name: string, request: object = {}) => {
    const traceparent = currentTraceparent();
    const response = await fetch(new URL(`${INTERNAL_PREFIX}${name}`, baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        [WORK_HEADER]: formatWork(currentWork()),
        ...(traceparent ? { traceparent } : {}),
      },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new InternalCallError(`No response from ${new URL(baseUrl).origin} to the internal operation ${name}`, {
        cause,
      });
    });
    if (!response.ok) {
      const cause = new InternalCallError(`Internal operation ${name} returned status ${response.status}`);
      const { reason } = (await response.json().catch(() => ({}))) as { reason?: unknown };
      if (reason === 'DATABASE_UNAVAILABLE') throw new DatabaseUnavailableError({ cause });
      if (isBusyReason(reason)) throw new ServiceError(reason, { retryAfter: 2, cause });
      throw cause;
    }
    return (await response.json()) as Response;
  };
}

/** The data that other apps request from userctx over HTTP, in addition to the events of the event bus. */
export interface UserctxSource extends SnapshotSource, NameSource {
  /** Returns the revocations since `time` (Unix milliseconds, inclusive). */
  listRevocationsSince(time: number): Promise<Revocation[]>;
  /** Returns the lowest supported versions of the app for parents. */
  listMinimumAppVersions(): Promise<MinimumAppVersion[]>;
}

const TEXT_SCHEMA = { type: 'string', maxLength: 128 };

/** Returns the operations of userctx that {@link userctxClient} calls. */
export function userctxOperations(source: UserctxSource): InternalOperations {
  return {
    'snapshots/versions': {
      request: { event: TEXT_SCHEMA, after: { ...TEXT_SCHEMA, nullable: true } },
      run: ({ event, after }: { event: string; after: string | null }) => source.listVersions(event, after),
    },
    'snapshots/current': {
      request: { event: TEXT_SCHEMA, ids: { type: 'array', items: TEXT_SCHEMA, maxItems: MAX_SNAPSHOTS_PER_CALL } },
      run: ({ event, ids }: { event: string; ids: string[] }) => source.find(event, ids),
    },
    'snapshots/unpublished': { request: {}, run: () => source.listUnpublishedSnapshots() },
    revocations: {
      request: { since: { type: 'integer' } },
      run: ({ since }: { since: number }) => source.listRevocationsSince(since),
    },
    'app-versions/minimum': { request: {}, run: () => source.listMinimumAppVersions() },
    'names/find': {
      request: { keys: { type: 'array', items: TEXT_SCHEMA, maxItems: MAX_NAMES_PER_CALL } },
      run: ({ keys }: { keys: NameKey[] }) => source.findNames(keys),
    },
  };
}

/** Returns a client of the internal operations of userctx. */
export function userctxClient(call: CallInternal): UserctxSource {
  return {
    listVersions: (event, after) => call('snapshots/versions', { event, after }),
    find: (event, ids) => call('snapshots/current', { event, ids }),
    listUnpublishedSnapshots: () => call('snapshots/unpublished'),
    listRevocationsSince: (since) => call('revocations', { since }),
    listMinimumAppVersions: () => call('app-versions/minimum'),
    findNames: (keys) => call('names/find', { keys }),
  };
}

const CURSOR_SCHEMA = { ...TEXT_SCHEMA, nullable: true };

/** Returns the operations of mcdisk that {@link mcdiskClient} calls. */
export function mcdiskOperations(source: ContentSource): InternalOperations {
  return {
    'contents/digests': {
      request: { after: CURSOR_SCHEMA },
      run: ({ after }: { after: string | null }) => source.listDigests(after),
    },
    'contents/ids': {
      request: { cloudId: TEXT_SCHEMA, after: CURSOR_SCHEMA },
      run: ({ cloudId, after }: { cloudId: string; after: string | null }) => source.listIds(cloudId, after),
    },
  };
}

/** Returns a client of the internal operations of mcdisk. */
export function mcdiskClient(call: CallInternal): ContentSource {
  return {
    listDigests: (after) => call('contents/digests', { after }),
    listIds: (cloudId, after) => call('contents/ids', { cloudId, after }),
  };
}

const DEAD_LETTER_IDS_SCHEMA = {
  type: 'array',
  items: { type: 'string', pattern: '^[0-9]{1,18}$' },
  maxItems: MAX_DEAD_LETTERS,
};

/** Returns the operations that {@link administrationClient} calls; every app serves them. */
export function administrationOperations(administration: AppAdministration): InternalOperations {
  return {
    'operators/status': { request: {}, run: () => administration.getStatus() },
    'operators/dead-letters/list': {
      request: {
        handler: CURSOR_SCHEMA,
        after: { type: 'string', pattern: '^[0-9]{1,18}$', nullable: true },
        limit: { type: 'integer', minimum: 1, maximum: 1_000 },
      },
      run: (query: DeadLetterQuery) => administration.listDeadLetters(query),
    },
    'operators/dead-letters/replay': {
      request: { ids: DEAD_LETTER_IDS_SCHEMA },
      run: ({ ids }: { ids: string[] }) => administration.replayDeadLetters(ids),
    },
    'operators/dead-letters/drop': {
      request: { ids: DEAD_LETTER_IDS_SCHEMA },
      run: ({ ids }: { ids: string[] }) => administration.dropDeadLetters(ids),
    },
    'operators/outbox/republish': {
      request: { since: { type: 'integer' } },
      run: ({ since }: { since: number }) => administration.republishSince(since),
    },
  };
}

/** Returns a client of the operations with which userctx administers another app. */
function administrationClient(call: CallInternal): AppAdministration {
  return {
    getStatus: () => call('operators/status'),
    listDeadLetters: (query) => call('operators/dead-letters/list', query),
    replayDeadLetters: (ids) => call('operators/dead-letters/replay', { ids }),
    dropDeadLetters: (ids) => call('operators/dead-letters/drop', { ids }),
    republishSince: (since) => call('operators/outbox/republish', { since }),
  };
}

/** Returns the operations of the gateway with which userctx diagnoses deliveries. */
export function deliveryOperations(source: DeliveryDiagnosisSource): InternalOperations {
  return {
    'operators/deliveries/diagnose': {
      request: {
        familyId: CURSOR_SCHEMA,
        principals: { type: 'array', items: TEXT_SCHEMA, maxItems: MAX_DIAGNOSED_PRINCIPALS },
      },
      run: (request: DeliveryDiagnosisRequest) => source.diagnose(request),
    },
  };
}

/** Returns the operations with which an app supplies data for exports. */
export function dataExportOperations(source: DataExportSource): InternalOperations {
  return {
    'data-exports/documents': {
      request: { userId: TEXT_SCHEMA },
      run: ({ userId }: { userId: string }) => source.listDocuments(userId),
    },
    'data-exports/page': {
      request: {
        userId: TEXT_SCHEMA,
        section: TEXT_SCHEMA,
        id: TEXT_SCHEMA,
        cursor: { type: 'string', maxLength: 512, nullable: true },
      },
      run: async (request: ExportPageRequest) => ({ page: await source.readPage(request) }),
    },
  };
}

/** Milliseconds after which a request for data of an export fails. */
const EXPORT_CALL_TIMEOUT_MS = 20_000;

/** Returns a client of the operations with which the app at this URL supplies data for exports. */
export function dataExportClient(baseUrl: string, secret: string): DataExportSource {
  const call = internalCaller(baseUrl, secret, EXPORT_CALL_TIMEOUT_MS);
  return {
    listDocuments: (userId) => call('data-exports/documents', { userId }),
    readPage: async (request) => (await call<{ page: ExportPage | null }>('data-exports/page', request)).page,
  };
}

/** The other apps as userctx administers them for operators; an app without URL is absent. */
export interface RemoteApps {
  administrations: Partial<Record<AppName, AppAdministration>>;
  deliveries?: DeliveryDiagnosisSource;
}

/** Returns clients of the apps whose URLs are set; none without INTERNAL_SECRET. */
export function remoteAppsOf({ INTERNAL_SECRET, MCDISK_URL, GATEWAY_URL }: Environment): RemoteApps {
  if (INTERNAL_SECRET === undefined) return { administrations: {} };
  const callerOf = (url: string | undefined) =>
    url === undefined ? undefined : internalCaller(url, INTERNAL_SECRET, OPERATOR_CALL_TIMEOUT_MS);
  const [callMcdisk, callGateway] = [callerOf(MCDISK_URL), callerOf(GATEWAY_URL)];
  return {
    administrations: {
      ...(callMcdisk && { mcdisk: administrationClient(callMcdisk) }),
      ...(callGateway && { gateway: administrationClient(callGateway) }),
    },
    ...(callGateway && {
      deliveries: { diagnose: (request) => callGateway('operators/deliveries/diagnose', request) },
    }),
  };
}
