import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { accessPoints, CELL, reportScans, createScan, STREET_LOCATION } from '../support/radio-fixture.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_PATH } from '../support/watch.js';

const GEOLOCATE_PATH = '/v1/geolocate';
const LOCATE_PATH = '/apis/v2/tool/position/locate';

interface ConsentList {
  items: { purpose: string; granted: boolean; version: number; history: { granted: boolean }[] }[];
}
interface LocateResponse {
  location: { latitude: string; longitude: string; radius: number; pointType: number; positionTime: number };
}

describe('positioning by observed networks', () => {
  let service: TestService;
  let [fixture, neighbours]: FamilyFixture[] = [];

  beforeAll(async () => {
    service = await TestService.start('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.query('DELETE FROM userctx.radio_network');
    [fixture, neighbours] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
  });
  afterEach(() => [fixture, neighbours].forEach((each) => each?.disconnectAll()));

  const families = (): [FamilyFixture, FamilyFixture] => [fixture as FamilyFixture, neighbours as FamilyFixture];
  const grantConsent = ({ owner }: FamilyFixture, granted = true) =>
    expectOk(owner.post('account/consent/update', { purpose: 'POSITIONING', granted }));

  async function reportStreetNetworks(): Promise<void> {
    for (const each of families()) {
      await grantConsent(each);
      const { results } = await expectOk(reportScans(each.watch, [createScan(), createScan()]));
      expect(results.map(({ accepted }) => accepted)).toEqual([true, true]);
    }
  }

  const locate = (watch: Watch, body: object) => watch.post<LocateResponse>(LOCATE_PATH, body);

  test('networks observed by families with consent locate another watch', async () => {
    const [first, second] = families();
    await grantConsent(first);
    await expectOk(reportScans(first.watch, [createScan()]));
    // Networks that only one family has observed do not locate other watches.
    const observed = { wifiAccessPoints: accessPoints(2) };
    expect(await locate(second.watch, observed)).toMatchObject({ status: 404, body: { reason: 'POSITION_NOT_FOUND' } });
    await reportStreetNetworks();
    const { location } = await expectOk(locate(second.watch, observed));
    expect(location).toMatchObject({ pointType: 2, positionTime: expect.any(Number) });
    expect(Number(location.latitude)).toBeCloseTo(Number(STREET_LOCATION.latitude), 4);
    expect(Number(location.longitude)).toBeCloseTo(Number(STREET_LOCATION.longitude), 4);
    expect(location.radius).toBeGreaterThanOrEqual(20);

    // The watch reports this location like any other point, and the parents see the location.
    const reported = await expectOk(
      second.watch.post<{ results: object[] }>(`${WATCH_PATH}location/report`, { points: [location] }),
    );
    expect(reported.results).toMatchObject([{ accepted: true }]);
    const seen = await expectOk(second.owner.get<LocateResponse>('location/get', { cid: second.cid }));
    expect(seen.location).toMatchObject({ pointType: 2, radius: location.radius });
  });

  test('watches and users can use the Ichnaea interface', async () => {
    await reportStreetNetworks();
    const [{ owner, watch }] = families();
    const observed = {
      carrier: 'Telecom',
      wifiAccessPoints: accessPoints(3).map((each) => ({ ...each, age: 3, channel: 11, signalToNoiseRatio: 13 })),
    };
    for (const caller of [owner, watch]) {
      const { location, accuracy } = await expectOk(caller.post<GeolocateResponse>(GEOLOCATE_PATH, observed));
      expect([location.lat, location.lng].map((degrees) => degrees.toFixed(4))).toEqual(['45.3806', '14.1445']);
      expect(accuracy).toBeGreaterThanOrEqual(20);
    }
    const cell = await expectOk(
      watch.post<GeolocateResponse>(GEOLOCATE_PATH, { radioType: 'lte', cellTowers: [withoutRadioType(CELL)] }),
    );
    expect(cell).toMatchObject({ accuracy: expect.any(Number) });
    expect(cell.accuracy).toBeGreaterThanOrEqual(1_000);
    expect(cell).not.toHaveProperty('fallback');
    const loose = {
      considerIp: 'true',
      radioType: 'cdma',
      wifiAccessPoints: accessPoints(3).map((each, index) => ({ ...each, signalStrength: [-51.5, '-60', 7][index] })),
    };
    expect(await expectOk(watch.post(GEOLOCATE_PATH, loose))).toMatchObject({ accuracy: expect.any(Number) });
    const area = await expectOk(
      watch.post<GeolocateResponse>(GEOLOCATE_PATH, { cellTowers: [{ ...CELL, cellId: 99 }] }),
    );
    expect(area).toMatchObject({ fallback: 'lacf' });
    expect(area.accuracy).toBeGreaterThanOrEqual(10_000);
    const exact = { cellTowers: [{ ...CELL, cellId: 99 }], fallbacks: { lacf: false } };
    expect(await watch.post(GEOLOCATE_PATH, exact)).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  test('one access point, unknown access points, or two access points not observed together give no location', async () => {
    await reportStreetNetworks();
    const [{ watch }] = families();
    const [known] = accessPoints(1);
    const stranger = { macAddress: '00:1b:21:ff:ff:ff' };
    for (const wifiAccessPoints of [[known], [known, known], [known, stranger], [stranger], []]) {
      expect(await watch.post(GEOLOCATE_PATH, { wifiAccessPoints })).toMatchObject({ status: 404, body: NOT_FOUND });
      expect(await locate(watch, { wifiAccessPoints })).toMatchObject({ status: 404 });
    }
    const far = { latitude: '45.4', longitude: '14.2', wifiAccessPoints: accessPoints(2, 100), cellTowers: [] };
    for (const each of families()) await expectOk(reportScans(each.watch, [createScan(far)]));
    const apart = { wifiAccessPoints: [known, accessPoints(1, 100)[0]] };
    expect(await locate(watch, apart)).toMatchObject({ status: 404 });
  });

  test('A13 scans are not stored without consent or after the consent is withdrawn', async () => {
    const [{ owner, guardian, watch }] = families();
    const refused = { results: [{ index: 0, accepted: false, reason: 'CONSENT_MISSING' }] };
    expect(await expectOk(reportScans(watch, [createScan()]))).toEqual(refused);
    // A guardian's consent does not apply to the family; only the owner's does.
    await expectOk(guardian.post('account/consent/update', { purpose: 'POSITIONING', granted: true }));
    expect(await expectOk(reportScans(watch, [createScan()]))).toEqual(refused);
    expect(await service.query('SELECT 1 FROM userctx.radio_network')).toEqual([]);
    expect((await expectOk(owner.get<ConsentList>('account/consent/get'))).items).toMatchObject([
      { purpose: 'POSITIONING', granted: false, version: 0, changedAt: null, history: [] },
    ]);

    await expectOk(owner.post('account/consent/update', { purpose: 'POSITIONING', granted: true }));
    expect((await expectOk(reportScans(watch, [createScan()]))).results).toMatchObject([{ accepted: true }]);
    const before = await service.query('SELECT * FROM userctx.radio_network ORDER BY 1');
    await expectOk(owner.post('account/consent/update', { purpose: 'POSITIONING', granted: false }));
    expect(await expectOk(reportScans(watch, [createScan()]))).toEqual(refused);
    expect(await service.query('SELECT * FROM userctx.radio_network ORDER BY 1')).toEqual(before);

    const { items } = await expectOk(owner.get<ConsentList>('account/consent/get'));
    expect(items).toMatchObject([{ granted: false, version: 2, history: [{ version: 2 }, { version: 1 }] }]);
  });

  test('the database contains no network, watch or child in plain text', async () => {
    await grantConsent(families()[0]);
    const { watch, cid, familyId } = families()[0];
    const named = accessPoints(3).map((each, index) => ({ ...each, ssid: `Smith ${index}` }));
    await expectOk(reportScans(watch, [createScan({ wifiAccessPoints: named })]));
    const rows = JSON.stringify(await service.query('SELECT * FROM userctx.radio_network'));
    expect(rows).not.toMatch(/Smith|001b21|00:1b:21/i);
    for (const id of [String(watch.did), cid, familyId]) expect(rows).not.toContain(id);
    expect(service.logs.join('\n')).not.toMatch(/Smith|00:1b:21/i);
  });

  test('an unbound watch can neither report nor be located', async () => {
    const watch = await Watch.enrol(service.url);
    expect(await reportScans(watch, [createScan()])).toMatchObject({ status: 403, body: { reason: 'WATCH_UNBOUND' } });
    expect(await locate(watch, { wifiAccessPoints: accessPoints(2) })).toMatchObject({ status: 403 });
    const answer = await watch.post<{ error: object }>(GEOLOCATE_PATH, { wifiAccessPoints: accessPoints(2) });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 403 } } });
  });
});

interface GeolocateResponse {
  location: { lat: number; lng: number };
  accuracy: number;
}

const NOT_FOUND = {
  error: {
    errors: [{ domain: 'geolocation', reason: 'notFound', message: 'Not found' }],
    code: 404,
    message: 'Not found',
  },
};

function withoutRadioType({ radioType: _, ...cell }: typeof CELL): object {
  return cell;
}
