import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FenceDto, FenceEventDto } from '@family-watch/domain/locations/dto/fence.dto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const CIRCLE = { latitude: '31.2300', longitude: '121.4700', radius: 150 };
/** A polygon about 200 metres wide around the centre of `CIRCLE`. */
const SQUARE = [
  ['31.2290', '121.4690'],
  ['31.2290', '121.4710'],
  ['31.2310', '121.4710'],
  ['31.2310', '121.4690'],
].map(([latitude, longitude]) => ({ latitude, longitude }));

describe('fences over HTTP', () => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
  });

  const put = (more: object) =>
    expectOk(fixture.owner.post<FenceDto>('fence/create', { cid: fixture.cid, name: 'School', ...more }));
  const events = async () =>
    (await expectOk(fixture.guardian.get<{ items: FenceEventDto[] }>('fence/event/list', { cid: fixture.cid }))).items;

  /** Reports a point `east` degrees east of the centre of the fence, with a time `secondsAgo` seconds ago. */
  async function reportPoint(secondsAgo: number, east: number, more: object = {}): Promise<void> {
    const point = {
      latitude: '31.2300',
      longitude: (121.47 + east).toFixed(4),
      radius: 10,
      pointType: 1,
      ...more,
      positionTime: Date.now() - secondsAgo * 1_000,
    };
    const { results } = await expectOk(
      fixture.watch.post<{ results: { accepted: boolean }[] }>(`${WATCH_PATH}location/report`, { points: [point] }),
    );
    expect(results).toMatchObject([{ accepted: true }]);
  }

  test('guardians can read enter and leave events in the fence log and in the message centre', async () => {
    const circle = await put({ circle: CIRCLE });
    const square = await put({
      name: 'Yard',
      polygon: { points: SQUARE },
      notify: { entered: true, left: false, dwelled: false },
    });
    await reportPoint(0, 0.02);
    await reportPoint(-20, 0);
    await reportPoint(-40, 0, { pointType: 3 });
    await reportPoint(-60, 0.02, { pointType: 3 });
    await reportPoint(-80, 0.02);
    const listed = await events();
    const seen = listed.map(({ fenceName, fenceId, type, late }) => [fenceName, fenceId, type, late].join());
    expect(seen.toSorted()).toEqual(
      [
        `School,${circle.fenceId},ENTERED,false`,
        `School,${circle.fenceId},LEFT,false`,
        `Yard,${square.fenceId},ENTERED,false`,
      ].toSorted(),
    );
    expect(listed.map(({ time }) => time)).toEqual(listed.map(({ time }) => time).toSorted((a, b) => b - a));
    const query = { category: 'FENCE' };
    const centerMessages = await waitUntilFound('the message centre', async () => {
      const { items } = await expectOk(
        fixture.guardian.get<{ items: { type: string }[] }>('/apis/v2/message/center/list', query),
      );
      return items.length >= 3 ? items : undefined;
    });
    expect(centerMessages.map(({ type }) => type).toSorted()).toEqual(['FENCE_ENTERED', 'FENCE_ENTERED', 'FENCE_LEFT']);
  });
});
