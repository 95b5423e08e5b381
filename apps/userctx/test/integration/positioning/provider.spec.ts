import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { ConsentsService } from '../../../src/accounts/consents/consents.service.js';
import { GeolocationProvider } from '../../../src/locations/positioning/geolocation-provider.js';
import { LocatorService, type LocateRequest } from '../../../src/locations/positioning/locator.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { FakeProvider } from '../../support/radio/fake-provider.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const CELL_TOWER = {
  radioType: 'lte' as const,
  mobileCountryCode: 293,
  mobileNetworkCode: 40,
  locationAreaCode: 7,
  cellId: 4_711,
};
const LOCATE_REQUEST: LocateRequest = {
  wifiAccessPoints: [
    { macAddress: '00:1b:21:00:00:01', signalStrength: -60, ssid: 'Smith' },
    { macAddress: '00:1b:21:00:00:02', ssid: 'Jones' },
    { macAddress: '00:1b:21:00:00:03', ssid: 'Brown_nomap' },
    { macAddress: '02:1b:21:00:00:04' },
  ],
  cellTowers: [CELL_TOWER],
  ipAddress: '192.0.2.7',
};

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let service: FakeProvider;
let family: BoundFamilyFixture;

beforeAll(async () => {
  service = await FakeProvider.start();
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica({ POSITION_PROVIDER_URL: service.url });
  family = await createBoundFamily(environment, replica);
});
afterAll(async () => {
  await environment.close();
  await service.stop();
});
beforeEach(async () => {
  service.requests.length = 0;
  await replica.get(ConsentsService).update(family.owner, { purpose: 'POSITIONING', granted: true });
});

const locate = (change: Partial<LocateRequest> = {}) =>
  replica.get(LocatorService).locate(family.watch.principal, { ...LOCATE_REQUEST, ...change });

describe('GeolocationProvider', () => {
  test('sends unknown networks without network names, opted-out networks or data of the caller', async () => {
    service.respondWith(80);
    expect(await locate()).toEqual({ latitude: 45.38, longitude: 14.14, radius: 80, pointType: 2 });
    expect(service.requests.map(({ body }) => body)).toEqual([
      {
        wifiAccessPoints: [
          { macAddress: '00:1b:21:00:00:01', signalStrength: -60 },
          { macAddress: '00:1b:21:00:00:02' },
        ],
        cellTowers: [CELL_TOWER],
        considerIp: false,
        fallbacks: { lacf: true, ipf: false },
      },
    ]);
    const [{ headers }] = service.requests as [(typeof service.requests)[0]];
    expect(JSON.stringify(headers)).not.toMatch(/192\.0\.2\.7|authorization|cookie/i);
  });

  test('sends no request without the consent of the owner', async () => {
    service.respondWith(80);
    await replica.get(ConsentsService).update(family.owner, { purpose: 'POSITIONING', granted: false });
    expect(await outcomeOf(locate)).toBe('POSITION_NOT_FOUND');
    const person = await environment.createPerson(replica);
    expect(await outcomeOf(() => replica.get(LocatorService).locate(person, LOCATE_REQUEST))).toBe(
      'POSITION_NOT_FOUND',
    );
    expect(service.requests).toEqual([]);
  });

  test('sends no request for a single access point', async () => {
    const [accessPoint] = LOCATE_REQUEST.wifiAccessPoints;
    expect(await outcomeOf(() => locate({ wifiAccessPoints: [accessPoint!], cellTowers: [] }))).toBe(
      'POSITION_NOT_FOUND',
    );
    expect(service.requests).toEqual([]);
  });

  test.each([
    [20_000, undefined, 3],
    [20_000, 'lacf', 3],
  ])(
    'for an accuracy of %d m and the fallback %s, returns a point of type %d',
    async (accuracy, fallback, pointType) => {
      service.respondWith(accuracy, fallback);
      expect(await locate()).toMatchObject({ radius: accuracy, pointType });
    },
  );

  test("rejects a location derived from an IP address if the request did not contain the caller's address", async () => {
    service.respondWith(25_000, 'ipf');
    expect(await outcomeOf(locate)).toBe('POSITION_NOT_FOUND');
  });

  test("sends the caller's IP address if configuration and request allow it", async () => {
    service.respondWith(25_000, 'ipf');
    const forwarding = await environment.replica({
      POSITION_PROVIDER_URL: service.url,
      POSITION_PROVIDER_ADDRESSES: 'forward',
    });
    const locateForwarding = (change: Partial<LocateRequest>) =>
      forwarding
        .get(LocatorService)
        .locate(family.watch.principal, { ...LOCATE_REQUEST, wifiAccessPoints: [], cellTowers: [], ...change });
    expect(await locateForwarding({})).toMatchObject({ pointType: 4, fallback: 'ipf', radius: 25_000 });
    expect(service.requests).toMatchObject([
      { headers: { 'x-forwarded-for': '192.0.2.7' }, body: { considerIp: true } },
    ]);
    for (const restriction of [{ considerIp: false }, { considerIp: true, fallbacks: { ipf: false } }]) {
      expect(await outcomeOf(() => locateForwarding(restriction))).toBe('POSITION_NOT_FOUND');
    }
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    { status: 404, body: '{}' },
    { status: 500, body: 'broken' },
    { status: 200, body: '<html>' },
    { status: 200, body: '{"location":{"lat":999,"lng":0},"accuracy":1}' },
    { status: 200, body: `"${'x'.repeat(20_000)}"` },
    { status: 302, body: '' },
  ])('returns null for an invalid response with status $status', async (response) => {
    const provider = new GeolocationProvider(Object.assign(new Environment(), { POSITION_PROVIDER_URL: service.url }));
    service.response = response;
    expect(await provider.locate({ ...LOCATE_REQUEST, allowsCellAreas: true })).toBeNull();
    expect(service.requests).toHaveLength(1);
  });

  test('sends no more requests after three requests without a response (circuit breaker)', async () => {
    const provider = new GeolocationProvider(Object.assign(new Environment(), { POSITION_PROVIDER_URL: service.url }));
    const { timeout } = AbortSignal;
    // Halves the limit, for which the test waits three times.
    const halved = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 2));
    service.response = null;
    try {
      for (let attempt = 0; attempt < 6; attempt += 1)
        expect(await provider.locate({ ...LOCATE_REQUEST, allowsCellAreas: true })).toBeNull();
    } finally {
      halved.mockRestore();
    }
    expect(service.requests).toHaveLength(3);
  });
});
