import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../../support/family-fixture.js';
import { expectOk, HttpClient } from '../../support/http-client.js';
import { TestService } from '../../support/test-service.js';
import { Watch, WATCH_PATH } from '../../support/watch.js';

const HOUR_MS = 3_600_000;
const createPoint = (positionTime: number, latitude: string, more: object = {}) => ({
  latitude,
  longitude: '121.470000',
  radius: 12,
  pointType: 1,
  positionTime,
  ...more,
});

describe('A19 forged positions', () => {
  let service: TestService;
  let family: FamilyFixture;
  let good: ReturnType<typeof createPoint>;

  const report = (client: HttpClient, points: object[], more: object = {}) =>
    client.post<{ results: { accepted: boolean; flags: string[] }[] }>(`${WATCH_PATH}location/report`, {
      points,
      ...more,
    });
  const lastLocation = async () =>
    (
      await expectOk(
        family.owner.get<{ childList: { lastLocation: { latitude: string; positionTime: number } | null }[] }>(
          'child/get',
        ),
      )
    ).childList[0]?.lastLocation;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    family = await FamilyFixture.create(service);
    good = createPoint(Date.now() - 1_000, '31.230000');
    await expectOk(report(family.watch, [good]));
    await waitUntil('the position of the watch', async () => Boolean(await lastLocation()));
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  test('are rejected from everyone but the bound watch, whatever did and cid the report names', async () => {
    const forged = [createPoint(Date.now(), '39.900000')];
    const others = await FamilyFixture.create(service);
    const about = { did: family.watch.did, cid: family.cid };
    const answers = [
      await report(new HttpClient(service.url), forged, about),
      await report(family.owner, forged, about),
      await report(family.guardian, forged, about),
      await report(await Watch.enrol(service.url), forged, about),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 403]);
    // The watch of another family reports for its own child only.
    await expectOk(report(others.watch, forged, about));
    expect(await lastLocation()).toMatchObject({ latitude: good.latitude, positionTime: good.positionTime });
    others.disconnectAll();
  });

  test.each([
    ['from the future', () => createPoint(Date.now() + HOUR_MS, '31.230100'), 'FUTURE'],
    ['of yesterday', () => createPoint(Date.now() - 24 * HOUR_MS, '31.230100'), 'LATE'],
    ['a thousand kilometres away a second later', () => createPoint(Date.now(), '39.900000'), 'IMPOSSIBLE_SPEED'],
  ])('%s get a flag and do not replace the last good position', async (_, create, flag) => {
    const { results } = await expectOk(report(family.watch, [create()]));
    expect(results[0]?.flags).toContain(flag);
    expect(await lastLocation()).toMatchObject({ latitude: good.latitude, positionTime: good.positionTime });
  });
});
