import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { ServiceResponse } from '../support/http-client.js';
import { accessPoints, CELL, reportScans, createScan } from '../support/radio-fixture.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const GEOLOCATE_PATH = '/v1/geolocate';
const LOCATE_PATH = '/apis/v2/tool/position/locate';
const [ACCESS_POINT] = accessPoints(1);
const PARSE_ERROR = {
  error: {
    errors: [{ domain: 'global', reason: 'parseError', message: 'Parse Error' }],
    code: 400,
    message: 'Parse Error',
  },
};

/** Invalid positioning requests, each with the field that the error must name. */
const INVALID_REQUESTS: [field: string, body: object][] = [
  ['wifiAccessPoints', { wifiAccessPoints: 'many' }],
  ['wifiAccessPoints', { wifiAccessPoints: Array(101).fill(ACCESS_POINT) }],
  ['wifiAccessPoints.0.macAddress', { wifiAccessPoints: [{}] }],
  ['wifiAccessPoints.0.macAddress', { wifiAccessPoints: [{ macAddress: 'router' }] }],
  ['wifiAccessPoints.0.macAddress', { wifiAccessPoints: [{ macAddress: "00:1b:21:00:00:01' or '1'='1" }] }],
  ['wifiAccessPoints.0.signalStrength', { wifiAccessPoints: [{ ...ACCESS_POINT, signalStrength: 'strong' }] }],
  ['wifiAccessPoints.0.signalStrength', { wifiAccessPoints: [{ ...ACCESS_POINT, signalStrength: 1 }] }],
  ['wifiAccessPoints.0.ssid', { wifiAccessPoints: [{ ...ACCESS_POINT, ssid: 'a\u0000b' }] }],
  ['cellTowers.0.radioType', { cellTowers: [{ ...CELL, radioType: 'smoke' }] }],
  ['cellTowers.0.mobileCountryCode', { cellTowers: [{ ...CELL, mobileCountryCode: 0 }] }],
  ['cellTowers.0.mobileNetworkCode', { cellTowers: [{ ...CELL, mobileNetworkCode: '40' }] }],
  ['cellTowers.0.locationAreaCode', { cellTowers: [{ ...CELL, locationAreaCode: -1 }] }],
  ['cellTowers.0.cellId', { cellTowers: [{ ...CELL, cellId: 2 ** 36 }] }],
  ['considerIp', { considerIp: 'yes' }],
  ['fallbacks', { fallbacks: true }],
  ['fallbacks.lacf', { fallbacks: { lacf: 'no' } }],
];

/** Checks that the response is VALIDATION_FAILED and names only this field. */
function expectInvalidField({ status, body }: ServiceResponse<object>, field: string): void {
  const { reason, details = [] } = body as { reason?: string; details?: { field: string }[] };
  const fields = [...new Set(details.map((detail) => detail.field))];
  expect({ status, reason, fields }).toEqual({ status: 400, reason: 'VALIDATION_FAILED', fields: [field] });
}

describe('invalid input to operations on consents and positioning', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    fixture = await FamilyFixture.create(service);
    await expectOk(fixture.owner.post('account/consent/update', { purpose: 'POSITIONING', granted: true }));
    await expectOk(reportScans(fixture.watch, [createScan()]));
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  test.each([
    ['purpose', [undefined, null, '', 'POSITIONS', 'positioning', 1, ['POSITIONING'], {}]],
    ['granted', [undefined, null, 'true', 1, 0, [], {}]],
  ])('a consent with an invalid %s is rejected', async (field, values) => {
    for (const value of values) {
      const body = { purpose: 'POSITIONING', granted: false, [field]: value };
      const answer = await fixture.owner.post('account/consent/update', body);
      expectInvalidField(answer, field);
    }
  });

  test.each([undefined, null, 'scan', {}, [], Array(51).fill({})])(
    'a report is rejected when its scans are not a list of 1 to 50 items: %j',
    async (scans) => {
      expectInvalidField(await reportScans(fixture.watch, scans), 'scans');
    },
  );

  test('a report with too many networks is rejected as a whole', async () => {
    const crowded = createScan({ wifiAccessPoints: Array(100).fill(ACCESS_POINT) });
    const answer = await reportScans(fixture.watch, Array(50).fill(crowded));
    expect(answer).toMatchObject({ status: expect.any(Number), body: { reason: expect.stringMatching(/^BODY_TOO_/) } });
  });

  test('the response contains the reason for each invalid scan, and none is stored', async () => {
    const bad = [
      null,
      7,
      'here',
      {},
      createScan({ latitude: 45.38 }),
      createScan({ longitude: 'east' }),
      createScan({ radius: 1e9 }),
    ];
    const { results } = await expectOk(reportScans(fixture.watch, bad));
    expect(results.map(({ index, accepted, reason }) => [index, accepted, reason])).toEqual([
      [0, false, 'NOT_AN_OBJECT'],
      [1, false, 'NOT_AN_OBJECT'],
      [2, false, 'NOT_AN_OBJECT'],
      [3, false, 'INVALID_LATITUDE'],
      [4, false, 'INVALID_LATITUDE'],
      [5, false, 'INVALID_LONGITUDE'],
      [6, false, 'POOR_ACCURACY'],
    ]);
  });

  test.each(INVALID_REQUESTS)('a positioning request with an invalid %s is rejected', async (field, body) => {
    expectInvalidField(await fixture.watch.post(LOCATE_PATH, body), field);
  });

  test.each([
    { wifiAccessPoints: 'many' },
    { wifiAccessPoints: { macAddress: '00:1b:21:00:00:01' } },
    { wifiAccessPoints: Array(101).fill(ACCESS_POINT) },
    { cellTowers: 7 },
    { considerIp: 'yes' },
    { fallbacks: { ipf: 1 } },
    { radioType: 'smoke' },
    [],
  ])('the Ichnaea interface responds in its own error format to %j', async (body) => {
    expect(await fixture.watch.post(GEOLOCATE_PATH, body)).toMatchObject({ status: 400, body: PARSE_ERROR });
  });

  test('the Ichnaea interface has its own errors for malformed JSON, a large body and a token in the query', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await fixture.watch.send('POST', GEOLOCATE_PATH, { body: '{"wifi', headers })).toMatchObject({
      status: 400,
      body: PARSE_ERROR,
    });
    const long = JSON.stringify({ wifiAccessPoints: 'x'.repeat(300_000) });
    expect(await fixture.watch.send('POST', GEOLOCATE_PATH, { body: long, headers })).toMatchObject({
      status: 413,
      body: { error: { code: 413 } },
    });
    const nobody = await fetch(`${service.url}${GEOLOCATE_PATH}?key=${fixture.watch.token ?? ''}`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect([nobody.status, await nobody.json()]).toMatchObject([
      401,
      { error: { errors: [{ reason: 'keyInvalid' }] } },
    ]);
  });

  test('the Ichnaea interface ignores incomplete networks', async () => {
    const odd = [null, 7, {}, { macAddress: 'router' }, { macAddress: '02:00:00:00:00:01' }, ACCESS_POINT];
    const body = {
      wifiAccessPoints: odd,
      cellTowers: [{}, { ...CELL, cellId: 'x' }],
      fallbacks: null,
      considerIp: null,
    };
    expect(await fixture.watch.post(GEOLOCATE_PATH, body)).toMatchObject({
      status: 404,
      body: { error: { errors: [{ domain: 'geolocation', reason: 'notFound' }] } },
    });
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });

  test('a report that is repeated with the same Idempotency-Key is stored once', async () => {
    const body = { scans: [createScan({ wifiAccessPoints: accessPoints(2, 50) })] };
    const send = () => fixture.watch.post(`${WATCH_PATH}location/scan/report`, body, { 'idempotency-key': 'scan-1' });
    const first = await expectOk(send());
    const once = await service.query('select * from userctx.radio_network order by 1');
    expect(await expectOk(send())).toEqual(first);
    expect(await service.query('select * from userctx.radio_network order by 1')).toEqual(once);
  });
});
