import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { GuardWindowRequestDto } from '@family-watch/domain/fences/dto/fence.dto';
import { ChildrenService } from '../../../src/contexts/children/children.service.js';
import { FenceRetentionJob } from '../../../src/contexts/fences/fence-retention.job.js';
import { FencesService } from '../../../src/contexts/fences/fences.service.js';
import { RefreshFenceScheduleHandler } from '../../../src/contexts/fences/refresh-fence-schedule.handler.js';
import { EraseChildFencesHandler } from '../../../src/contexts/fences/erase-child-fences.handler.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { FenceFixture } from '../../support/fence-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The grace of what comes due, and a bit. */
const SOON = 31 * SECOND;
/** A Sunday evening in Shanghai. */
const SUNDAY = Date.parse('2026-09-20T20:00:00+08:00');
const monday = (time: string, zone = '+08:00') => Date.parse(`2026-09-21T${time}:00${zone}`);

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let home: FenceFixture;
let now: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
});
beforeEach(() => {
  // Only what the service takes for now is moved; timers and the database go on.
  now = SUNDAY;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => world.close());

async function pass(to: number, on = replica): Promise<void> {
  now = to;
  await home.tick(now, on);
}

const SCHOOL: GuardWindowRequestDto = { weekdays: [1, 2, 3, 4, 5], from: '07:30', to: '16:00', notArrivedBy: '08:10' };
const QUIET = { entered: false, left: false, dwelled: false };

describe('a stay', () => {
  beforeEach(async () => {
    home = await FenceFixture.settle(world, replica, { notify: { ...QUIET, dwelled: true }, dwell: 300 });
    await home.report([home.fix(SUNDAY, 500)]);
    await home.report([home.fix(SUNDAY + MINUTE, 0)]);
  });
  const due = SUNDAY + MINUTE + 300 * SECOND;

  it('is told by the clock when nothing more is heard, once', async () => {
    await pass(due);
    expect(await home.told()).toEqual([]);
    await pass(due + SOON);
    await pass(due + MINUTE);
    expect(await home.told()).toEqual([`DWELLED ${due}`]);
    await home.report([home.fix(due + 2 * MINUTE, 10), home.fix(due + 3 * MINUTE, 600)]);
    expect(await home.told()).toEqual([`DWELLED ${due}`]);
  });

  it('is told by the next position when that is faster, and never of a child that has gone before', async () => {
    await home.report([home.fix(due + SECOND, 600)]);
    await pass(due + MINUTE);
    expect(await home.told()).toEqual([`DWELLED ${due}`]);
    await home.report([home.fix(due + 2 * MINUTE, 0)]);
    await home.report([home.fix(due + 3 * MINUTE, 600)]);
    await pass(due + DAY);
    expect(await home.told()).toEqual([`DWELLED ${due}`]);
  });

  it('is told once by many processes at once', async () => {
    const others = [await world.replica({}, { relay: true }), await world.replica({}, { relay: true })];
    now = due + SOON;
    const fix = home.fix(due + 5 * SECOND, 5);
    await Promise.all([replica, ...others, ...others].map((one) => home.tick(now, one)).concat(home.report([fix])));
    await pass(due + MINUTE);
    expect(await home.told()).toEqual([`DWELLED ${due}`]);
  });
});

describe('a child that is awaited', () => {
  const due = monday('08:10');

  it('is judged although another one cannot be', async () => {
    const broken = await FenceFixture.settle(world, replica, { notify: QUIET, windows: [SCHOOL] });
    await broken.report([broken.fix(SUNDAY, 900)]);
    const zone = (name: string) =>
      world.query('update userctx.child set time_zone = $2 where cid = $1 returning cid', [broken.cid, name]);
    await zone('Mars/Olympus_Mons');
    await pass(due + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${due}`]);
    await zone('Asia/Shanghai');
    await pass(due + 11 * MINUTE);
    expect(await broken.told()).toEqual([`NOT_ARRIVED ${due} late`]);
  });

  beforeEach(async () => {
    home = await FenceFixture.settle(world, replica, { notify: QUIET, windows: [{ ...SCHOOL, leftEarly: true }] });
    await home.report([home.fix(SUNDAY + MINUTE, 900)]);
  });

  it('and does not come is told of, once on each school day', async () => {
    await pass(due + 20 * SECOND);
    expect(await home.told()).toEqual([]);
    const other = await world.replica({}, { relay: true });
    now = due + SOON;
    await Promise.all([home.tick(now), home.tick(now, other), home.tick(now, other)]);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${due}`]);
    await pass(due + DAY + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${due}`, `NOT_ARRIVED ${due + DAY}`]);
  });

  it('and comes in time is not, even if the position arrives a moment later', async () => {
    await home.report([home.fix(due - SECOND, 0)], due + 10 * SECOND);
    await pass(due + SOON);
    expect(await home.told()).toEqual([]);
  });

  it('and leaves before it may is told of', async () => {
    await home.report([home.fix(monday('07:50'), 0)]);
    await pass(due + SOON);
    await home.report([home.fix(monday('11:00'), 700)]);
    await home.report([home.fix(monday('12:00'), 0)]);
    await home.report([home.fix(monday('16:00'), 700)]);
    expect(await home.told()).toEqual([`LEFT_EARLY ${monday('11:00')}`]);
  });

  it('while nothing ran is told of when it runs again, marked late', async () => {
    await pass(due + DAY + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${due} late`, `NOT_ARRIVED ${due + DAY}`]);
  });

  it('is awaited in the time zone that the child moved to', async () => {
    const { owner, cid, familyId } = home.home;
    const child = { name: 'Mia', phoneNumber: '13812345678', areaCode: '+86', appellation: 'Mimi' };
    await replica
      .get(ChildrenService)
      .update(owner, { cid, ...child, weight: 120, height: 125, timeZone: 'Europe/Berlin' });
    const [payload] = await world.events('userctx.child.updated', familyId);
    if (!payload) throw new Error('The change was not told');
    await world.deliver(replica, replica.get(RefreshFenceScheduleHandler), { name: 'userctx.child.updated', payload });
    await pass(due + MINUTE);
    expect(await home.told()).toEqual([]);
    await pass(monday('08:10', '+02:00') + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${monday('08:10', '+02:00')}`]);
  });

  it('by another window, or by none, is judged by what stands now', async () => {
    const fences = replica.get(FencesService);
    const { owner, cid } = home.home;
    const { fenceId } = home.fence;
    await fences.update(owner, { cid, fenceId, windows: [{ ...SCHOOL, notArrivedBy: '09:00' }] });
    await pass(due + MINUTE);
    expect(await home.told()).toEqual([]);
    await pass(monday('09:00') + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${monday('09:00')}`]);
    await fences.update(owner, { cid, fenceId, enabled: false });
    await pass(monday('09:00') + DAY + SOON);
    await fences.update(owner, { cid, fenceId, enabled: true });
    await fences.delete(owner, { cid, fenceId });
    await pass(monday('09:00') + 2 * DAY + SOON);
    expect(await home.told()).toHaveLength(1);
  });
});

describe('another watch, or none', () => {
  const due = monday('08:10');

  async function follow(name: 'userctx.watch.bound' | 'userctx.watch.unbound', did: number): Promise<void> {
    const { owner, cid, familyId } = home.home;
    const payload = { familyId, cid, did, by: `user:${owner.id}` as const, time: now };
    await world.deliver(replica, replica.get(RefreshFenceScheduleHandler), { name, payload });
  }

  it('ends what is known: nobody is awaited, and the first position trips nothing', async () => {
    home = await FenceFixture.settle(world, replica, { windows: [SCHOOL] });
    const { owner, cid, watch } = home.home;
    await home.report([home.fix(SUNDAY + MINUTE, 0)]);
    now = SUNDAY + 2 * MINUTE;
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    await follow('userctx.watch.unbound', watch.did);
    await pass(due + SOON);
    expect(await home.told()).toEqual([]);

    const other = await TestWatch.enrolled(replica);
    await other.bindTo(replica, owner, cid);
    await follow('userctx.watch.bound', other.did);
    home.home.watch = other;
    await home.report([home.fix(due + 5 * MINUTE, 900)]);
    expect(await home.told()).toEqual([]);
    await pass(due + DAY + SOON);
    expect(await home.told()).toEqual([`NOT_ARRIVED ${due + DAY}`]);
  });

  it('is respected by a clock that hears of it before the event', async () => {
    home = await FenceFixture.settle(world, replica, { windows: [SCHOOL] });
    await replica.get(WatchBindingService).unbind(home.home.owner, home.home.watch.did);
    await pass(due + SOON);
    expect(await home.told()).toEqual([]);
  });
});

describe('what is kept', () => {
  it('30 days of what was told', async () => {
    home = await FenceFixture.settle(world, replica);
    await home.report([home.fix(SUNDAY + MINUTE, 900)]);
    await home.report([home.fix(SUNDAY + 2 * MINUTE, 0)]);
    await replica.get(FenceRetentionJob).run(SUNDAY + 30 * DAY);
    expect(await home.told()).toHaveLength(1);
    await replica.get(FenceRetentionJob).run(SUNDAY + 30 * DAY + 1);
    expect(await world.query('select 1 from userctx.fence_event where cid = $1', [home.cid])).toEqual([]);
  });

  it('nothing of an erased child', async () => {
    home = await FenceFixture.settle(world, replica);
    await home.report([home.fix(SUNDAY + MINUTE, 900), home.fix(SUNDAY + 2 * MINUTE, 0)]);
    const { familyId, cid } = home.home;
    const event = { name: 'userctx.child.erased', payload: { familyId, cid } } as const;
    await world.deliver(replica, replica.get(EraseChildFencesHandler), event);
    for (const table of ['fence', 'fence_watch', 'fence_event']) {
      expect(await world.query(`select 1 from userctx.${table} where cid = $1`, [cid])).toEqual([]);
    }
  });
});
