import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FenceDto, FenceEventDto } from '@family-watch/domain/fences/dto/fence.dto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk, repeatWhileUnavailable } from '../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
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
const WINDOW = { weekdays: [1], from: '08:00', to: '16:00', leftEarly: true };

interface ErrorBody {
  reason: string;
  details?: { field: string; rule: string }[];
}

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

  test('a repeated request with the same Idempotency-Key creates one fence', async () => {
    const request = { cid: fixture.cid, name: 'School', circle: CIRCLE };
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => fixture.owner.post('fence/create', request, key)));
    const again = await fixture.owner.post('fence/create', request, key);
    for (const { body } of answers.filter(({ status }) => status === 200)) expect(body).toEqual(again.body);
    const { items } = await expectOk(fixture.owner.get<{ items: FenceDto[] }>('fence/list', { cid: fixture.cid }));
    expect(items).toHaveLength(1);
    expect(items).toEqual([again.body]);
  });

  test('200 create requests create at most 50 fences, and points are still evaluated', async () => {
    const outcomes = new Map<string, number>();
    for (let from = 0; from < 200; from += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          // On a busy machine, a request may wait too long for a database connection.
          repeatWhileUnavailable(() =>
            fixture.owner.post<ErrorBody>('fence/create', {
              cid: fixture.cid,
              name: `${from + index}`,
              circle: CIRCLE,
            }),
          ),
        ),
      );
      for (const { status, body } of answers) {
        const outcome = status === 200 ? 'ok' : body.reason;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(outcomes)).toEqual({ ok: 50, LIMIT_REACHED: 150 });
    await reportPoint(0, 0.02);
    await reportPoint(-20, 0);
    expect(await events()).toHaveLength(50);
  });
});

describe('invalid input to fences', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let fenceId: string;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    fixture = await FamilyFixture.create(service);
    const request = { cid: fixture.cid, name: 'School', circle: CIRCLE };
    ({ fenceId } = await expectOk(fixture.owner.post<FenceDto>('fence/create', request)));
    await waitUntilEventsProcessed(service, fixture.ids);
    before = await tableDigests(service, fixture.ids);
  });
  afterAll(() => service.stop());

  const polygon = (...points: [string, string][]) => ({
    polygon: { points: points.map(([latitude, longitude]) => ({ latitude, longitude })) },
  });
  const places = (length: number) =>
    Array.from({ length }, (_, index): [string, string] => [`31.${String(1_000 + index)}`, '121.5']);

  const BAD: [string, object][] = [
    ['circle', { circle: 'round' }],
    ['circle', { circle: [] }],
    ['circle.radius', { circle: { ...CIRCLE, radius: 49 } }],
    ['circle.radius', { circle: { ...CIRCLE, radius: 50_001 } }],
    ['circle.radius', { circle: { ...CIRCLE, radius: '150' } }],
    ['circle.radius', { circle: { ...CIRCLE, radius: 150.5 } }],
    ['circle.radius', { circle: { ...CIRCLE, radius: null } }],
    ['circle.latitude', { circle: { ...CIRCLE, latitude: 'north' } }],
    ['circle.latitude', { circle: { ...CIRCLE, latitude: 31.23 } }],
    ['circle.latitude', { circle: { ...CIRCLE, latitude: '91' } }],
    ['circle.latitude', { circle: { ...CIRCLE, latitude: '-86' } }],
    ['circle.latitude', { circle: { ...CIRCLE, latitude: '1e1' } }],
    ['circle.longitude', { circle: { ...CIRCLE, longitude: '180.1' } }],
    ['circle.longitude', { circle: { ...CIRCLE, longitude: 'NaN' } }],
    ['circle', { circle: CIRCLE, ...polygon(['31', '121'], ['31', '121.01'], ['31.01', '121']) }],
    ['polygon.points', { polygon: {} }],
    ['polygon.points', polygon(['31', '121'], ['31', '121.01'])],
    ['polygon.points', polygon(...places(101))],
    ['polygon.points.1.latitude', polygon(['31', '121'], ['95', '121.01'], ['31.01', '121'])],
    ['polygon.points.1.latitude', polygon(['31', '121'], ['Infinity', '121.01'], ['31.01', '121'])],
    ['polygon', polygon(['31', '121'], ['31.01', '121.01'], ['31', '121.01'], ['31.01', '121'])],
    ['polygon', polygon(['31', '121'], ['31', '121.01'], ['31', '121.02'])],
    ['polygon', polygon(['31', '121'], ['31', '141'], ['51', '121'])],
    ['polygon.points.3', polygon(['31', '121'], ['31', '121.01'], ['31.01', '121'], ['31.0', '121.00'])],
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['notify', { notify: true }],
    ['notify.left', { notify: { entered: true, dwelled: false } }],
    ['notify.left', { notify: { entered: true, left: 'yes', dwelled: false } }],
    ['dwell', { dwell: 0 }],
    ['dwell', { dwell: 100_000 }],
    ['dwell', { dwell: 'long' }],
    ['enabled', { enabled: 'true' }],
    ['windows', { windows: {} }],
    ['windows', { windows: Array.from({ length: 11 }, () => WINDOW) }],
    ['windows.0.from', { windows: [{ ...WINDOW, from: '25:00' }] }],
    ['windows.0.to', { windows: [{ ...WINDOW, to: 'noon' }] }],
    ['windows.0.to', { windows: [{ ...WINDOW, to: '08:00' }] }],
    ['windows.0.weekdays', { windows: [{ ...WINDOW, weekdays: [0] }] }],
    ['windows.0.weekdays', { windows: [{ ...WINDOW, weekdays: ['Monday'] }] }],
    ['windows.0.weekdays', { windows: [{ ...WINDOW, weekdays: [] }] }],
    ['windows.0.skipDates', { windows: [{ ...WINDOW, skipDates: ['2026-02-30'] }] }],
    ['windows.0.notArrivedBy', { windows: [{ ...WINDOW, notArrivedBy: '17:00' }] }],
    ['windows.0.leftEarly', { windows: [{ ...WINDOW, leftEarly: 1 }] }],
    ['windows.1', { windows: [WINDOW, { ...WINDOW, from: '15:00', to: '18:00' }] }],
  ];

  test.each(BAD)('create and update reject the invalid %s in %j', async (field, bad) => {
    const { cid } = fixture;
    const shape = 'polygon' in bad ? {} : { circle: CIRCLE };
    for (const [path, request] of [
      ['fence/create', { cid, name: 'School', ...shape, ...bad }],
      ['fence/update', { cid, fenceId, ...bad }],
    ] as const) {
      const { status, body } = await fixture.owner.post<ErrorBody>(path, request);
      expect([path, status, body.reason]).toEqual([path, 400, 'VALIDATION_FAILED']);
      expect(body.details?.map((detail) => detail.field)).toContain(field);
    }
  });

  test.each([undefined, null, 7, '', [], 'a\u0000b'])('update and delete reject %j as cid or fenceId', async (bad) => {
    for (const field of ['cid', 'fenceId']) {
      for (const path of ['fence/update', 'fence/delete']) {
        const { status, body } = await fixture.owner.post<ErrorBody>(path, { cid: fixture.cid, fenceId, [field]: bad });
        expect([path, status, body.details?.[0]?.field]).toEqual([path, 400, field]);
      }
    }
  });

  test('update and delete return the same error for a fence of another family as for an unknown fence', async () => {
    const other = await FamilyFixture.create(service);
    const request = { cid: other.cid, name: 'School', circle: CIRCLE };
    const { fenceId: foreign } = await expectOk(other.owner.post<FenceDto>('fence/create', request));
    for (const path of ['fence/update', 'fence/delete']) {
      const answers = await Promise.all(
        [foreign, randomUUID(), 'nonsense', `' or '1'='1`].map((id) =>
          fixture.owner.post(path, { cid: fixture.cid, fenceId: id, name: 'Mine', version: 1 }),
        ),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 404, body: { reason: 'FENCE_NOT_FOUND' } });
    }
    await expectOk(other.owner.post('fence/delete', { cid: other.cid, fenceId: foreign }));
  });

  test('update and delete reject an old version and a future version as stale', async () => {
    for (const version of [2, 2_147_483_647]) {
      for (const path of ['fence/update', 'fence/delete']) {
        const { status, body } = await fixture.owner.post<ErrorBody>(path, {
          cid: fixture.cid,
          fenceId,
          version,
          name: 'Old',
        });
        expect([status, body.reason]).toEqual([409, 'VERSION_STALE']);
      }
    }
  });

  test.each<Record<string, string | number>>([{ cursor: 'nonsense' }, { limit: 0 }, { limit: 201 }, { limit: 'ten' }])(
    'the fence log rejects the query %j',
    async (page) => {
      const { status, body } = await fixture.owner.get<ErrorBody>('fence/event/list', { cid: fixture.cid, ...page });
      expect([status, body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );

  test('the rejected requests change no row of the family', async () => {
    await waitUntilEventsProcessed(service, fixture.ids);
    const after = await tableDigests(service, fixture.ids);
    for (const table of ['userctx.fence', 'userctx.fence_event']) {
      expect([table, after[table]]).toEqual([table, before[table]]);
    }
    const watched = await service.query('select version from userctx.fence_watch where cid = $1', [fixture.cid]);
    expect(watched).toEqual([{ version: 1 }]);
  });
});
