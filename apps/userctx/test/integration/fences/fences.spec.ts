import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { FENCE_LIMITS } from '@family-watch/domain/locations/contracts/fence';
import type { CreateFenceDto, FenceDto, UpdateFenceDto } from '@family-watch/domain/locations/dto/fence.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FencesService } from '../../../src/locations/fences/fences.service.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';
import { createCircle, FenceFixture, pointNorth } from '../../support/fence-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE_MS = 60_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let fences: FencesService;
let fixture: FenceFixture;
let owner: Principal;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  fences = replica.get(FencesService);
});
beforeEach(async () => {
  fixture = await FenceFixture.create(environment, replica);
  owner = fixture.boundFamily.owner;
});
afterAll(() => environment.close());

const listFences = async (): Promise<FenceDto[]> => (await fences.list(owner, fixture.cid)).items;
const createFence = (fields: Partial<CreateFenceDto> = {}) =>
  fences.create(owner, { cid: fixture.cid, name: 'Home', ...fields });
const updateFence = (fields: Partial<UpdateFenceDto>) => {
  return fences.update(owner, { cid: fixture.cid, fenceId: fixture.fence.fenceId, ...fields });
};
const createSquare = (metres = 0) => ({
  polygon: {
    points: [
      { ...pointNorth(metres), longitude: '121.47' },
      { ...pointNorth(metres), longitude: '121.48' },
      { ...pointNorth(metres + 500), longitude: '121.48' },
      { ...pointNorth(metres + 500), longitude: '121.47' },
    ],
  },
});
const SCHOOL_WINDOW = { weekdays: [5, 1], from: '07:30', to: '16:00', leftEarly: true };

async function violationsOf(work: () => Promise<unknown>): Promise<string[]> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason as { details?: { field: string; rule: string }[] },
  );
  return error?.details?.map(({ field, rule }) => `${field} ${rule}`) ?? ['ok'];
}

describe('a fence', () => {
  test('is created as requested, with defaults for omitted fields', async () => {
    expect(await listFences()).toEqual([fixture.fence]);
    expect(fixture.fence).toMatchObject({ polygon: null, dwell: 600, windows: [], enabled: true, version: 1 });
    expect(fixture.fence.notify).toEqual({ entered: true, left: true, dwelled: false });
    const other = await createFence({ ...createSquare(), windows: [SCHOOL_WINDOW], dwell: 60 });
    expect(other).toMatchObject({ circle: null, ...createSquare(), dwell: 60 });
    expect(other.windows).toEqual([
      { weekdays: [1, 5], from: '07:30', to: '16:00', skipDates: [], notArrivedBy: null, leftEarly: true },
    ]);
    expect(await listFences()).toEqual([fixture.fence, other]);
  });

  test('is changed only in the fields of the request, and gets a new version with each change', async () => {
    expect(await updateFence({ name: 'New' })).toEqual({ ...fixture.fence, name: 'New', version: 2 });
    expect(await updateFence({ name: 'New' })).toMatchObject({ version: 2 });
    expect(await updateFence({ ...createSquare(), version: 2 })).toMatchObject({
      name: 'New',
      circle: null,
      version: 3,
    });
    expect(await updateFence({ ...createCircle(), windows: [] })).toMatchObject({ polygon: null, version: 4 });
    expect(await outcomeOf(() => updateFence({ name: 'Old', version: 3 }))).toBe('VERSION_STALE');
    expect(await listFences()).toMatchObject([{ name: 'New', version: 4 }]);
  });

  test('can be deleted once, and only with its current version', async () => {
    const request = { cid: fixture.cid, fenceId: fixture.fence.fenceId };
    expect(await outcomeOf(() => fences.delete(owner, { ...request, version: 2 }))).toBe('VERSION_STALE');
    expect(await outcomeOf(() => fences.delete(owner, { ...request, version: 1 }))).toBe('ok');
    expect(await outcomeOf(() => fences.delete(owner, request))).toBe('FENCE_NOT_FOUND');
    expect(await listFences()).toEqual([]);
  });

  test('is not created when the child already has fifty fences, even by concurrent requests', async () => {
    const attempts = Array.from({ length: FENCE_LIMITS.perChild + 5 }, () =>
      outcomeOf(() => createFence(createCircle())),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(FENCE_LIMITS.perChild - 1);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'LIMIT_REACHED']));
    expect(await listFences()).toHaveLength(FENCE_LIMITS.perChild);
  });
});

describe('fence validation', () => {
  test.each<[string, Partial<CreateFenceDto>]>([
    ['circle isOneShape', { ...createCircle(), ...createSquare() }],
    ['windows.0.weekdays isNotEmpty', { ...createCircle(), windows: [{ ...SCHOOL_WINDOW, weekdays: [] }] }],
    ['windows.0.to isNotEmpty', { ...createCircle(), windows: [{ ...SCHOOL_WINDOW, to: '07:30' }] }],
    ['windows.0 tellsSomething', { ...createCircle(), windows: [{ ...SCHOOL_WINDOW, leftEarly: false }] }],
    [
      'windows.0.notArrivedBy isWithinWindow',
      { ...createCircle(), windows: [{ ...SCHOOL_WINDOW, notArrivedBy: '07:29' }] },
    ],
    [
      'windows.0.notArrivedBy isWithinWindow',
      { ...createCircle(), windows: [{ ...SCHOOL_WINDOW, notArrivedBy: '16:00' }] },
    ],
    [
      'windows.1 doesNotOverlap',
      { ...createCircle(), windows: [SCHOOL_WINDOW, { ...SCHOOL_WINDOW, from: '15:59', to: '17:00' }] },
    ],
    [
      'windows.1 doesNotOverlap',
      { ...createCircle(), windows: [SCHOOL_WINDOW, { ...SCHOOL_WINDOW, weekdays: [4], from: '23:00', to: '08:00' }] },
    ],
  ])('rejects a fence that violates %s, and changes nothing', async (rule, request) => {
    expect(await violationsOf(() => createFence(request))).toEqual([rule]);
    expect(await violationsOf(() => updateFence({ enabled: false, ...request }))).toEqual([rule]);
    expect(await listFences()).toEqual([fixture.fence]);
  });

  test('reports every invalid window', async () => {
    const windows = [{ ...SCHOOL_WINDOW, weekdays: [] }, SCHOOL_WINDOW, { ...SCHOOL_WINDOW, to: '07:30' }];
    expect(await violationsOf(() => createFence({ ...createCircle(), windows }))).toEqual([
      'windows.0.weekdays isNotEmpty',
      'windows.2.to isNotEmpty',
    ]);
  });

  test('accepts adjacent windows and a window across midnight', async () => {
    const windows = [
      SCHOOL_WINDOW,
      { ...SCHOOL_WINDOW, from: '16:00', to: '17:00' },
      { weekdays: [1], from: '22:00', to: '06:00', notArrivedBy: '05:59' },
    ];
    expect(await violationsOf(() => createFence({ ...createCircle(), windows }))).toEqual(['ok']);
  });
});

describe('access to fences', () => {
  test('is denied to a stranger, and a caregiver can read but not change fences', async () => {
    const stranger = await environment.createPerson(replica);
    const { fenceId } = fixture.fence;
    const request = { cid: fixture.cid, fenceId };
    expect(await outcomeOf(() => fences.list(stranger, fixture.cid))).toBe('CHILD_NOT_FOUND');
    expect(await outcomeOf(() => fences.update(stranger, request))).toBe('CHILD_NOT_FOUND');
    const grant = { role: 3 as const, permissions: ['LOCATION' as const] };
    const caregiver = await environment.addMember(replica, fixture.boundFamily.familyId, grant);
    expect(await outcomeOf(() => fences.list(caregiver, fixture.cid))).toBe('ok');
    expect(await outcomeOf(() => fences.listEvents(caregiver, { cid: fixture.cid }))).toBe('ok');
    expect(await outcomeOf(() => fences.delete(caregiver, request))).toBe('PERMISSION_MISSING');
  });

  test('is denied with FENCE_NOT_FOUND for fences of other children and for unknown and malformed fence ids', async () => {
    const other = await FenceFixture.create(environment, replica);
    for (const fenceId of [other.fence.fenceId, crypto.randomUUID(), 'nonsense', fixture.fence.fenceId.toUpperCase()]) {
      expect(await outcomeOf(() => updateFence({ fenceId, name: 'Mine' }))).toBe('FENCE_NOT_FOUND');
      expect(await outcomeOf(() => fences.delete(owner, { cid: fixture.cid, fenceId }))).toBe('FENCE_NOT_FOUND');
    }
    expect(await environment.query('SELECT name FROM userctx.fence WHERE cid = $1', [other.cid])).toEqual([
      { name: 'School' },
    ]);
  });
});

describe('a fence that changes while the child moves', () => {
  const inAMinute = () => Date.now() + MINUTE_MS;

  test('loses its state when it is moved, resized or enabled, and keeps it when it is renamed', async () => {
    const reportAt = (metres: number, index = 0) => fixture.report([fixture.fix(inAMinute() + index * 10_000, metres)]);
    await reportAt(500);
    await updateFence({ name: 'Same place' });
    await reportAt(0, 1);
    expect(await fixture.publishedEvents()).toHaveLength(1);
    await updateFence(createCircle(600));
    await reportAt(0, 2);
    await reportAt(600, 3);
    expect((await fixture.publishedEvents()).map((event) => event.split(' ')[0])).toEqual(['ENTERED', 'ENTERED']);
    await updateFence(createCircle(600, 101));
    await reportAt(0, 4);
    expect(await fixture.publishedEvents()).toHaveLength(2);
    await reportAt(600, 5);
    await updateFence({ enabled: false });
    await reportAt(0, 6);
    await updateFence({ enabled: true });
    await reportAt(0, 7);
    expect(await fixture.publishedEvents()).toHaveLength(3);
    // An event contains the name that the fence had at the time of the event.
    const { items } = await fences.listEvents(owner, { cid: fixture.cid });
    expect(new Set(items.map(({ fenceName }) => fenceName))).toEqual(new Set(['Same place']));
  });

  test('is evaluated consistently during concurrent reports, changes and timer runs', async () => {
    const start = inAMinute();
    const others = [await environment.replica(), await environment.replica()];
    await fixture.report([fixture.fix(start, 500)]);
    const fixes = Array.from({ length: 40 }, (_, step) =>
      fixture.fix(start + (step + 1) * MINUTE_MS, step % 2 === 0 ? 0 : 500),
    );
    const changes = Array.from({ length: 20 }, (_, step) => () => updateFence({ name: `Name ${step}` }));
    await Promise.all([
      ...fixes.map((fix) => fixture.report([fix], start + 60 * MINUTE_MS)),
      ...changes.map((change) => change()),
      ...others.map((other) => fixture.runTimer(start + 60 * MINUTE_MS, other)),
      ...Array.from({ length: 5 }, (_, step) => createFence({ name: `Other ${step}`, ...createCircle(2_000) })),
    ]);
    const events = await fixture.publishedEvents();
    const count = (type: string) => events.filter((event) => event.startsWith(`${type} `)).length;
    expect([count('ENTERED'), count('LEFT')]).toEqual([20, 20]);
    expect(new Set(events).size).toBe(40);
    const [fence] = await listFences();
    expect(fence).toMatchObject({ version: 21 });
  });
});

describe('list of fence events', () => {
  test('is returned in pages, newest event first', async () => {
    const start = Date.now() + MINUTE_MS;
    const fixes = Array.from({ length: 8 }, (_, step) =>
      fixture.fix(start + step * MINUTE_MS, step % 2 === 0 ? 500 : 0),
    );
    await fixture.report(fixes);
    const times: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await fences.listEvents(owner, { cid: fixture.cid, limit: 3, ...(cursor ? { cursor } : {}) });
      times.push(...page.items.map(({ time }) => time));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(times).toEqual(
      fixes
        .slice(1)
        .map(({ positionTime }) => positionTime)
        .toReversed(),
    );
    expect(await violationsOf(() => fences.listEvents(owner, { cid: fixture.cid, cursor: 'nonsense' }))).toEqual([
      'cursor isCursor',
    ]);
  });
});
