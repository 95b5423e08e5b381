import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR_ROLE } from '@family-watch/domain/operators/contracts/operator';
import { FamilyFixture } from '../support/family-fixture.js';
import { HttpClient, repeatWhileUnavailable, type ServiceResponse } from '../support/http-client.js';
import {
  invalidQueries,
  invalidValues,
  operationsOf,
  validBody,
  validQuery,
  type DocumentedOperation,
  type OpenApiDocument,
} from '../support/invalid-fields.js';
import { Operator } from '../support/operator.js';
import { accessPoints, CELL } from '../support/radio-fixture.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { Watch } from '../support/watch.js';

const GEOLOCATE_PATH = '/v1/geolocate';

/**
 * Fields whose violations do not fail the request: an SOS is accepted whatever it contains, each location point and
 * scan has a result of its own, an invalid call or early exit of a report is only dropped, and the Ichnaea interface has its own errors and ignores unusable networks.
 */
const TOLERANT_FIELDS =
  /^raiseSos |^reportLocation points\.0|^reportScans scans\.0|^reportBlockedCalls calls\.0|^reportEarlyExits exits\.0|^geolocate /;

/** Table with an entry for each request of an operator, whatever its outcome. */
const AUDIT_TABLE = 'userctx.operator_audit_entry';

const PARSE_ERROR = {
  error: {
    errors: [{ domain: 'global', reason: 'parseError', message: 'Parse Error' }],
    code: 400,
    message: 'Parse Error',
  },
};

describe('requests that violate the OpenAPI document', () => {
  let service: TestService;
  let family: FamilyFixture;
  let operator: Operator;
  let unbound: Watch;
  let document: OpenApiDocument;
  let operations: DocumentedOperation[];
  let ids: Record<string, string | number>;
  let before: Record<string, string>;

  beforeAll(async () => {
    // The suite compares whole tables, and sends more requests than a caller may send in a minute.
    service = await TestService.start('standalone', { RATE_LIMIT_CALLER_REQUESTS: '1000000' });
    family = await FamilyFixture.create(service);
    operator = await Operator.create(service, Object.values(OPERATOR_ROLE));
    unbound = await Watch.enrol(service.url);
    document = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as OpenApiDocument;
    operations = operationsOf(document);
    expect(operations.length).toBeGreaterThan(150);
    ids = { cid: family.cid, did: family.watch.did, deviceId: family.watch.did, familyId: family.familyId };
    await waitUntilEventsProcessed(service);
    before = await digests();
  });
  afterAll(() => service.stop());

  async function digests(): Promise<Record<string, string>> {
    return { ...(await tableDigests(service)), [AUDIT_TABLE]: '' };
  }

  function callerOf({ callers }: DocumentedOperation): HttpClient {
    if (callers === 'public') return new HttpClient(service.url);
    if (callers === 'operators') return operator;
    return callers.includes('user') ? family.owner : family.watch;
  }

  function send(
    client: HttpClient,
    { method, path }: DocumentedOperation,
    query: URLSearchParams,
    body: object,
  ): Promise<ServiceResponse> {
    const target = query.size > 0 ? `${path}?${query.toString()}` : path;
    // JSON has no text for a number out of range, which a parser reads as Infinity.
    const text = JSON.stringify(body).replace('"1e400"', '1e400');
    const payload = method === 'GET' ? {} : { body: text, headers: { 'content-type': 'application/json' } };
    return repeatWhileUnavailable(() => client.send(method, target, payload));
  }

  test('are rejected by each operation that reads the field of the body, with an error that names the field', async () => {
    const problems: string[] = [];
    for (const operation of operations) {
      const caller = callerOf(operation);
      for (const [field, body] of invalidValues(document, operation)) {
        if (TOLERANT_FIELDS.test(`${operation.id} ${field}`)) continue;
        const problem = problemOf(await send(caller, operation, new URLSearchParams(), body), field);
        if (problem) problems.push(`${operation.id} ${field} ${JSON.stringify(body).slice(0, 300)}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test('are rejected by each operation that reads the query parameter, with an error that names the parameter', async () => {
    const problems: string[] = [];
    for (const operation of operations) {
      const caller = callerOf(operation);
      for (const [name, query] of invalidQueries(operation, ids)) {
        // A missing ticket has the same error as an invalid one.
        if (name === 'ticket') continue;
        const problem = problemOf(await send(caller, operation, query, {}), name);
        if (problem) problems.push(`${operation.id} ${query.toString().slice(0, 300)}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test('each operation of persons on a watch responds to an unbound watch as to an unknown watch', async () => {
    const problems: string[] = [];
    let count = 0;
    for (const operation of operations) {
      const body = validBody(document, operation);
      const fields = { ...validQuery(operation, ids), ...body };
      if (!operation.callers.includes('user') || !('did' in fields || 'deviceId' in fields) || 'cid' in fields)
        continue;
      count += 1;
      const [of, ofUnknown] = await Promise.all(
        [unbound.did, 1].map((did) => {
          const query = new URLSearchParams(validQuery(operation, { ...ids, did, deviceId: did }));
          return send(family.owner, operation, query, { ...body, did, deviceId: did });
        }),
      );
      if (of?.body['reason'] !== 'WATCH_NOT_FOUND' || of.text !== ofUnknown?.text)
        problems.push(`${operation.id}: ${of?.text} ${ofUnknown?.text}`);
    }
    expect(count).toBeGreaterThan(25);
    expect(problems).toEqual([]);
  });

  test('each operation of watches that needs a child rejects an unbound watch', async () => {
    const problems: string[] = [];
    let count = 0;
    for (const operation of operations) {
      if (!operation.callers.includes('watch') || !operation.errors.includes('WATCH_UNBOUND')) continue;
      // The service finds the product before it asks who pays.
      if (operation.id === 'createOrder') continue;
      const query = new URLSearchParams(validQuery(operation, {}));
      count += 1;
      const { status, text } = await send(unbound, operation, query, validBody(document, operation));
      if (status !== 403) problems.push(`${operation.id}: ${text}`);
    }
    expect(count).toBeGreaterThan(10);
    expect(problems).toEqual([]);
  });

  test('have the Ichnaea error format in the Ichnaea interface, which ignores unusable networks', async () => {
    const [accessPoint] = accessPoints(1);
    for (const body of [
      { wifiAccessPoints: 'many' },
      { wifiAccessPoints: Array(101).fill(accessPoint) },
      { cellTowers: 7 },
      { radioType: 'smoke' },
      [],
    ])
      expect(await family.watch.post(GEOLOCATE_PATH, body)).toMatchObject({ status: 400, body: PARSE_ERROR });
    const headers = { 'content-type': 'application/json' };
    const send = (body: string) => family.watch.send('POST', GEOLOCATE_PATH, { body, headers });
    expect(await send('{"wifi')).toMatchObject({ status: 400, body: PARSE_ERROR });
    const long = JSON.stringify({ wifiAccessPoints: 'x'.repeat(300_000) });
    expect(await send(long)).toMatchObject({ status: 413, body: { error: { code: 413 } } });
    const inQuery = `${GEOLOCATE_PATH}?key=${family.watch.token ?? ''}`;
    expect(await new HttpClient(service.url).post(inQuery, {})).toMatchObject({
      status: 401,
      body: { error: { errors: [{ reason: 'keyInvalid' }] } },
    });
    const unusable = {
      wifiAccessPoints: [null, 7, {}, { macAddress: 'router' }, { macAddress: '02:00:00:00:00:01' }, accessPoint],
      cellTowers: [{}, { ...CELL, cellId: 'x' }],
      fallbacks: null,
      considerIp: null,
    };
    for (const body of [unusable, { considerIp: 'yes' }, { fallbacks: { ipf: 1 } }])
      expect(await family.watch.post(GEOLOCATE_PATH, body)).toMatchObject({
        status: 404,
        body: { error: { errors: [{ domain: 'geolocation', reason: 'notFound' }] } },
      });
  });

  test('change no row and cause no internal error', async () => {
    expect(await digests()).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});

/**
 * Returns why the response is not the expected error: VALIDATION_FAILED that names the field, or the list whose item it
 * is, and no fields but those that contain it or that it contains.
 */
function problemOf({ status, body }: ServiceResponse, field: string): string | undefined {
  const details = (body?.['details'] ?? []) as { field: string }[];
  const named = details.map((detail) => detail.field);
  const isNamed = named.includes(field) || named.includes(field.replace(/\.0$/, ''));
  const isRelated = named.every((name) => `${field}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${field}.`));
  if (status === 400 && body['reason'] === 'VALIDATION_FAILED' && isNamed && isRelated) return undefined;
  return `${status} ${String(body?.['reason'])} ${named.join()}`;
}
