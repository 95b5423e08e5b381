import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { FENCE_LIMITS } from '@family-watch/domain/fences/contracts/fence';
import type { CreateFenceDto, FenceDto, UpdateFenceDto } from '@family-watch/domain/fences/dto/fence.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfilesService } from '../../../src/contexts/families/member-profiles.service.js';
import { FencesService } from '../../../src/contexts/fences/fences.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';
import { circle, FenceFixture, north } from '../../support/fence-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE = 60_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let fences: FencesService;
let home: FenceFixture;
let owner: Principal;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  fences = replica.get(FencesService);
});
beforeEach(async () => {
  home = await FenceFixture.settle(environment, replica);
  owner = home.home.owner;
});
afterAll(() => environment.close());

const list = async (): Promise<FenceDto[]> => (await fences.list(owner, home.cid)).items;
const create = (fields: Partial<CreateFenceDto> = {}) =>
  fences.create(owner, { cid: home.cid, name: 'Home', ...fields });
const update = (fields: Partial<UpdateFenceDto>) => {
  return fences.update(owner, { cid: home.cid, fenceId: home.fence.fenceId, ...fields });
};
const square = (metres = 0) => ({
  polygon: {
    points: [
      { ...north(metres), longitude: '121.47' },
      { ...north(metres), longitude: '121.48' },
      { ...north(metres + 500), longitude: '121.48' },
      { ...north(metres + 500), longitude: '121.47' },
    ],
  },
});
const window = { weekdays: [5, 1], from: '07:30', to: '16:00', leftEarly: true };

async function violationsOf(work: () => Promise<unknown>): Promise<string[]> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason as { details?: { field: string; rule: string }[] },
  );
  return error?.details?.map(({ field, rule }) => `${field} ${rule}`) ?? ['ok'];
}

describe('a fence', () => {
  it('is created as requested, with defaults for omitted fields', async () => {
    expect(await list()).toEqual([home.fence]);
    expect(home.fence).toMatchObject({ polygon: null, dwell: 600, windows: [], enabled: true, version: 1 });
    expect(home.fence.notify).toEqual({ entered: true, left: true, dwelled: false });
    const other = await create({ ...square(), windows: [window], dwell: 60 });
    expect(other).toMatchObject({ circle: null, ...square(), dwell: 60 });
    expect(other.windows).toEqual([
      { weekdays: [1, 5], from: '07:30', to: '16:00', skipDates: [], notArrivedBy: null, leftEarly: true },
    ]);
    expect(await list()).toEqual([home.fence, other]);
  });

  it('is changed in the sent fields only, and gets a new version per change', async () => {
    expect(await update({ name: 'New' })).toEqual({ ...home.fence, name: 'New', version: 2 });
    expect(await update({ name: 'New' })).toMatchObject({ version: 2 });
    expect(await update({ ...square(), version: 2 })).toMatchObject({ name: 'New', circle: null, version: 3 });
    expect(await update({ ...circle(), windows: [] })).toMatchObject({ polygon: null, version: 4 });
    const stale = await outcomeOf(() => update({ name: 'Old', version: 3 }));
    expect(stale).toBe('VERSION_STALE');
    expect(await list()).toMatchObject([{ name: 'New', version: 4 }]);
  });

  it('can be deleted once, and only with its current version', async () => {
    const request = { cid: home.cid, fenceId: home.fence.fenceId };
    expect(await outcomeOf(() => fences.delete(owner, { ...request, version: 2 }))).toBe('VERSION_STALE');
    expect(await outcomeOf(() => fences.delete(owner, { ...request, version: 1 }))).toBe('ok');
    expect(await outcomeOf(() => fences.delete(owner, request))).toBe('FENCE_NOT_FOUND');
    expect(await list()).toEqual([]);
  });

  it('is rejected when the child already has fifty fences, also for concurrent requests', async () => {
    const attempts = Array.from({ length: FENCE_LIMITS.perChild + 5 }, () => outcomeOf(() => create(circle())));
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(FENCE_LIMITS.perChild - 1);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'LIMIT_REACHED']));
    expect(await list()).toHaveLength(FENCE_LIMITS.perChild);
  });
});

describe('fence validation', () => {
  it.each<[string, Partial<CreateFenceDto>]>([
    ['circle isOneShape', { ...circle(), ...square() }],
    ['circle.latitude isAwayFromPoles', { circle: { latitude: '85.5', longitude: '0', radius: 100 } }],
    ['polygon hasArea', { polygon: { points: [0, 1, 2].map((step) => north(step * 100)) } }],
    ['windows.0.weekdays isNotEmpty', { ...circle(), windows: [{ ...window, weekdays: [] }] }],
    ['windows.0.to isNotEmpty', { ...circle(), windows: [{ ...window, to: '07:30' }] }],
    ['windows.0 tellsSomething', { ...circle(), windows: [{ ...window, leftEarly: false }] }],
    ['windows.0.notArrivedBy isWithinWindow', { ...circle(), windows: [{ ...window, notArrivedBy: '07:29' }] }],
    ['windows.0.notArrivedBy isWithinWindow', { ...circle(), windows: [{ ...window, notArrivedBy: '16:00' }] }],
    ['windows.1 doesNotOverlap', { ...circle(), windows: [window, { ...window, from: '15:59', to: '17:00' }] }],
    [
      'windows.1 doesNotOverlap',
      { ...circle(), windows: [window, { ...window, weekdays: [4], from: '23:00', to: '08:00' }] },
    ],
  ])('rejects a fence that violates %s, and changes nothing', async (rule, request) => {
    expect(await violationsOf(() => create(request))).toEqual([rule]);
    expect(await violationsOf(() => update({ enabled: false, ...request }))).toEqual([rule]);
    expect(await list()).toEqual([home.fence]);
  });

  it('rejects a fence without a shape', async () => {
    expect(await violationsOf(() => create())).toEqual(['circle isOneShape']);
  });

  it('reports every invalid window', async () => {
    const windows = [{ ...window, weekdays: [] }, window, { ...window, to: '07:30' }];
    expect(await violationsOf(() => create({ ...circle(), windows }))).toEqual([
      'windows.0.weekdays isNotEmpty',
      'windows.2.to isNotEmpty',
    ]);
  });

  it('accepts adjacent windows and a window across midnight', async () => {
    const windows = [
      window,
      { ...window, from: '16:00', to: '17:00' },
      { weekdays: [1], from: '22:00', to: '06:00', notArrivedBy: '05:59' },
    ];
    expect(await violationsOf(() => create({ ...circle(), windows }))).toEqual(['ok']);
  });
});

describe('access to fences', () => {
  it('is denied to a stranger; a caregiver can read but not change fences', async () => {
    const stranger = await environment.person(replica);
    const { fenceId } = home.fence;
    const request = { cid: home.cid, fenceId };
    expect(await outcomeOf(() => fences.list(stranger, home.cid))).toBe('CHILD_NOT_FOUND');
    expect(await outcomeOf(() => fences.update(stranger, request))).toBe('CHILD_NOT_FOUND');
    const caregiver = await environment.person(replica);
    const { card } = await replica.get(MemberProfilesService).get(caregiver.id);
    const grant = { role: 3 as const, permissions: ['LOCATION' as const], childPermissions: {} };
    const { familyId } = home.home;
    await replica
      .get(UserctxUnitOfWork)
      .run(() => replica.get(FamilyRosterService).addMember(familyId, caregiver.id, grant, card));
    expect(await outcomeOf(() => fences.list(caregiver, home.cid))).toBe('ok');
    expect(await outcomeOf(() => fences.listEvents(caregiver, { cid: home.cid }))).toBe('ok');
    expect(await outcomeOf(() => fences.delete(caregiver, request))).toBe('PERMISSION_MISSING');
  });

  it('is denied for fences of other children and for unknown and malformed fence ids', async () => {
    const other = await FenceFixture.settle(environment, replica);
    for (const fenceId of [other.fence.fenceId, crypto.randomUUID(), 'nonsense', home.fence.fenceId.toUpperCase()]) {
      expect(await outcomeOf(() => update({ fenceId, name: 'Mine' }))).toBe('FENCE_NOT_FOUND');
      expect(await outcomeOf(() => fences.delete(owner, { cid: home.cid, fenceId }))).toBe('FENCE_NOT_FOUND');
    }
    expect(await environment.query('select name from userctx.fence where cid = $1', [other.cid])).toEqual([
      { name: 'School' },
    ]);
  });
});

describe('a fence that changes while the child moves', () => {
  const inAMinute = () => Date.now() + MINUTE;

  it('loses its state when it is moved or enabled, and keeps it when it is renamed', async () => {
    const fix = (metres: number, index = 0) => home.report([home.fix(inAMinute() + index * 10_000, metres)]);
    await fix(500);
    await update({ name: 'Same place' });
    await fix(0, 1);
    expect(await home.told()).toHaveLength(1);
    await update(circle(600));
    await fix(0, 2);
    await fix(600, 3);
    expect((await home.told()).map((told) => told.split(' ')[0])).toEqual(['ENTERED', 'ENTERED']);
    await update({ enabled: false });
    await fix(0, 4);
    await update({ enabled: true });
    await fix(0, 5);
    expect(await home.told()).toHaveLength(2);
    // Events show the current name of the fence.
    const { items } = await fences.listEvents(owner, { cid: home.cid });
    expect(new Set(items.map(({ fenceName }) => fenceName))).toEqual(new Set(['Same place']));
  });

  it('is evaluated consistently during concurrent reports, changes and timer runs', async () => {
    const start = inAMinute();
    const others = [await environment.replica(), await environment.replica()];
    await home.report([home.fix(start, 500)]);
    const fixes = Array.from({ length: 40 }, (_, step) =>
      home.fix(start + (step + 1) * MINUTE, step % 2 === 0 ? 0 : 500),
    );
    const changes = Array.from({ length: 20 }, (_, step) => () => update({ name: `Name ${step}` }));
    await Promise.all([
      ...fixes.map((fix) => home.report([fix], start + 60 * MINUTE)),
      ...changes.map((change) => change()),
      ...others.map((other) => home.tick(start + 60 * MINUTE, other)),
      ...Array.from({ length: 5 }, (_, step) => create({ name: `Other ${step}`, ...circle(2_000) })),
    ]);
    const events = await home.told();
    const count = (type: string) => events.filter((event) => event.startsWith(`${type} `)).length;
    expect([count('ENTERED'), count('LEFT')]).toEqual([20, 20]);
    expect(new Set(events).size).toBe(40);
    const [fence] = await list();
    expect(fence).toMatchObject({ version: 21 });
  });
});

describe('event list', () => {
  it('is paginated and starts with the newest event', async () => {
    const start = Date.now() + MINUTE;
    const fixes = Array.from({ length: 8 }, (_, step) => home.fix(start + step * MINUTE, step % 2 === 0 ? 500 : 0));
    await home.report(fixes);
    const times: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await fences.listEvents(owner, { cid: home.cid, limit: 3, ...(cursor ? { cursor } : {}) });
      times.push(...page.items.map(({ time }) => time));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(times).toEqual(
      fixes
        .slice(1)
        .map(({ positionTime }) => positionTime)
        .toReversed(),
    );
    expect(await violationsOf(() => fences.listEvents(owner, { cid: home.cid, cursor: 'nonsense' }))).toEqual([
      'cursor isCursor',
    ]);
  });
});
