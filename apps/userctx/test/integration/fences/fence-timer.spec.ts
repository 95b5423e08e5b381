import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { AttendanceWindowRequestDto } from '@family-watch/domain/locations/dto/fence.dto';
import { ChildrenService } from '../../../src/families/children/children.service.js';
import { FenceMonitorService } from '../../../src/locations/fences/fence-monitor.service.js';
import { FencesService } from '../../../src/locations/fences/fences.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { FenceFixture } from '../../support/fence-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Time after which the fence timer job has evaluated a due time: one second more than its delay. */
const DELAY_MS = 31 * SECOND_MS;
/** A Sunday evening in Shanghai. */
const SUNDAY_EVENING = Date.parse('2026-09-20T20:00:00+08:00');
const mondayAt = (time: string, zone = '+08:00') => Date.parse(`2026-09-21T${time}:00${zone}`);

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let fixture: FenceFixture;
let now: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
});
beforeEach(() => {
  // Only `Date.now` is mocked; timers and the database use the real time.
  now = SUNDAY_EVENING;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

async function advanceTo(time: number): Promise<void> {
  now = time;
  await fixture.runTimer(now);
}

const SCHOOL_WINDOW: AttendanceWindowRequestDto = {
  weekdays: [1, 2, 3, 4, 5],
  from: '07:30',
  to: '16:00',
  notArrivedBy: '08:10',
};
const NO_EVENTS = { entered: false, left: false, dwelled: false };

describe('dwelling inside a fence', () => {
  beforeEach(async () => {
    fixture = await FenceFixture.create(environment, replica, { notify: { ...NO_EVENTS, dwelled: true }, dwell: 300 });
    await fixture.report([fixture.fix(SUNDAY_EVENING, 500)]);
    await fixture.report([fixture.fix(SUNDAY_EVENING + MINUTE_MS, 0)]);
  });
  const due = SUNDAY_EVENING + MINUTE_MS + 300 * SECOND_MS;

  test('is reported once by the timer when no further fix arrives', async () => {
    await advanceTo(due);
    expect(await fixture.publishedEvents()).toEqual([]);
    await advanceTo(due + DELAY_MS);
    await advanceTo(due + MINUTE_MS);
    expect(await fixture.publishedEvents()).toEqual([`DWELLED ${due}`]);
    await fixture.report([fixture.fix(due + 2 * MINUTE_MS, 10), fixture.fix(due + 3 * MINUTE_MS, 600)]);
    expect(await fixture.publishedEvents()).toEqual([`DWELLED ${due}`]);
  });

  test('is reported with the next fix if the timer has not run, and is not reported if the child leaves earlier', async () => {
    await fixture.report([fixture.fix(due + SECOND_MS, 600)]);
    await advanceTo(due + MINUTE_MS);
    expect(await fixture.publishedEvents()).toEqual([`DWELLED ${due}`]);
    await fixture.report([fixture.fix(due + 2 * MINUTE_MS, 0)]);
    await fixture.report([fixture.fix(due + 3 * MINUTE_MS, 600)]);
    await advanceTo(due + DAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`DWELLED ${due}`]);
  });

  test('is reported once by concurrent replicas', async () => {
    const others = [
      await environment.replica({}, { isRelayDisabled: true }),
      await environment.replica({}, { isRelayDisabled: true }),
    ];
    now = due + DELAY_MS;
    const fix = fixture.fix(due + 5 * SECOND_MS, 5);
    await Promise.all(
      [replica, ...others, ...others].map((one) => fixture.runTimer(now, one)).concat(fixture.report([fix])),
    );
    await advanceTo(due + MINUTE_MS);
    expect(await fixture.publishedEvents()).toEqual([`DWELLED ${due}`]);
  });
});

describe('a child that is expected inside a fence', () => {
  const due = mondayAt('08:10');

  test('is evaluated even when the evaluation of another child fails', async () => {
    const failing = await FenceFixture.create(environment, replica, { notify: NO_EVENTS, windows: [SCHOOL_WINDOW] });
    await failing.report([failing.fix(SUNDAY_EVENING, 900)]);
    const setTimeZone = (name: string) =>
      environment.query('UPDATE userctx.child SET time_zone = $2 WHERE cid = $1 RETURNING cid', [failing.cid, name]);
    await setTimeZone('Mars/Olympus_Mons');
    await advanceTo(due + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due}`]);
    await setTimeZone('Asia/Shanghai');
    await advanceTo(due + 11 * MINUTE_MS);
    expect(await failing.publishedEvents()).toEqual([`NOT_ARRIVED ${due} late`]);
  });

  test.each([
    ['a time zone that does not exist', `UPDATE userctx.child SET time_zone = 'Mars/Olympus_Mons' WHERE cid = $1`],
    [
      'a fence without a shape',
      `WITH fence AS (UPDATE userctx.fence SET shape = '{}' WHERE cid = $1)
       UPDATE userctx.fence_watch SET version = version + 1 WHERE cid = $1`,
    ],
  ])('is evaluated even when a hundred children are due before it with %s', async (_, breakChild) => {
    const broken = await FenceFixture.create(environment, replica, { notify: NO_EVENTS, windows: [SCHOOL_WINDOW] });
    await environment.query(breakChild, [broken.cid]);
    await environment.query('UPDATE userctx.fence_watch SET next_arrival = 1 WHERE cid = $1', [broken.cid]);
    const copies = Array.from({ length: 100 }, () => crypto.randomUUID());
    for (const table of ['child', 'family_child', 'fence', 'fence_watch']) {
      await environment.query(
        `INSERT INTO userctx.${table}
         SELECT (jsonb_populate_record(original, jsonb_build_object('cid', id, 'fence_id', id, 'did', -nr))).*
           FROM userctx.${table} original, unnest($2::uuid[]) WITH ORDINALITY AS copy (id, nr) WHERE cid = $1`,
        [broken.cid, copies],
      );
    }
    // A child whose evaluation fails stays due, so a run whose transaction failed on a busy machine is repeated.
    await waitFor(async () => {
      await advanceTo(due + DELAY_MS);
      expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due}`]);
    });
    await environment.query('DELETE FROM userctx.family_child WHERE cid = ANY($1)', [copies]);
    await environment.query('DELETE FROM userctx.fence_watch WHERE cid = ANY($1)', [[broken.cid, ...copies]]);
  });

  beforeEach(async () => {
    fixture = await FenceFixture.create(environment, replica, {
      notify: NO_EVENTS,
      windows: [{ ...SCHOOL_WINDOW, leftEarly: true }],
    });
    await fixture.report([fixture.fix(SUNDAY_EVENING + MINUTE_MS, 900)]);
  });

  test('triggers NOT_ARRIVED once per day of the window when it does not arrive', async () => {
    await advanceTo(due + 20 * SECOND_MS);
    expect(await fixture.publishedEvents()).toEqual([]);
    const other = await environment.replica({}, { isRelayDisabled: true });
    now = due + DELAY_MS;
    await Promise.all([fixture.runTimer(now), fixture.runTimer(now, other), fixture.runTimer(now, other)]);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due}`]);
    await advanceTo(due + DAY_MS + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due}`, `NOT_ARRIVED ${due + DAY_MS}`]);
  });

  test('does not trigger NOT_ARRIVED when it arrives in time and the fix is received late', async () => {
    await fixture.report([fixture.fix(due - SECOND_MS, 0)], due + 10 * SECOND_MS);
    await advanceTo(due + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([]);
  });

  test('triggers LEFT_EARLY when it leaves before the end of the window', async () => {
    await fixture.report([fixture.fix(mondayAt('07:50'), 0)]);
    await advanceTo(due + DELAY_MS);
    await fixture.report([fixture.fix(mondayAt('11:00'), 700)]);
    await fixture.report([fixture.fix(mondayAt('12:00'), 0)]);
    await fixture.report([fixture.fix(mondayAt('16:00'), 700)]);
    expect(await fixture.publishedEvents()).toEqual([`LEFT_EARLY ${mondayAt('11:00')}`]);
  });

  test('triggers events marked late after an outage of the timer', async () => {
    await advanceTo(due + DAY_MS + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due} late`, `NOT_ARRIVED ${due + DAY_MS}`]);
  });

  test('is expected at the time of day in the current time zone of the child', async () => {
    const { owner, cid, familyId } = fixture.boundFamily;
    const child = { name: 'Mia', phoneNumber: '13812345678', areaCode: '+86', appellation: 'Mimi' };
    await replica
      .get(ChildrenService)
      .update(owner, { cid, ...child, weight: 120, height: 125, timeZone: 'Europe/Berlin' });
    const [payload] = await environment.events('userctx.child.updated', familyId);
    if (!payload) throw new Error('No child.updated event was published');
    await environment.deliver(replica, 'userctx.fences.refresh-schedule', {
      name: 'userctx.child.updated',
      payload,
    });
    await advanceTo(due + MINUTE_MS);
    expect(await fixture.publishedEvents()).toEqual([]);
    await advanceTo(mondayAt('08:10', '+02:00') + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${mondayAt('08:10', '+02:00')}`]);
  });

  test('is evaluated with the current attendance windows after the windows have changed', async () => {
    const fences = replica.get(FencesService);
    const { owner, cid } = fixture.boundFamily;
    const { fenceId } = fixture.fence;
    await fences.update(owner, { cid, fenceId, windows: [{ ...SCHOOL_WINDOW, notArrivedBy: '09:00' }] });
    await advanceTo(due + MINUTE_MS);
    expect(await fixture.publishedEvents()).toEqual([]);
    await advanceTo(mondayAt('09:00') + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${mondayAt('09:00')}`]);
    await fences.update(owner, { cid, fenceId, enabled: false });
    await advanceTo(mondayAt('09:00') + DAY_MS + DELAY_MS);
    await fences.update(owner, { cid, fenceId, enabled: true });
    await fences.delete(owner, { cid, fenceId });
    await advanceTo(mondayAt('09:00') + 2 * DAY_MS + DELAY_MS);
    expect(await fixture.publishedEvents()).toHaveLength(1);
  });
});

describe('unbinding a watch', () => {
  const due = mondayAt('08:10');

  async function deliverWatchEvent(name: 'userctx.watch.bound' | 'userctx.watch.unbound', did: number): Promise<void> {
    const { owner, cid, familyId } = fixture.boundFamily;
    const payload = { familyId, cid, did, by: `user:${owner.id}` as const, time: now };
    await environment.deliver(replica, 'userctx.fences.refresh-schedule', { name, payload });
  }

  test('resets the fence state: no arrival is expected, and the first fix of the next watch triggers nothing', async () => {
    fixture = await FenceFixture.create(environment, replica, { windows: [SCHOOL_WINDOW] });
    const { owner, cid, watch } = fixture.boundFamily;
    await fixture.report([fixture.fix(SUNDAY_EVENING + MINUTE_MS, 0)]);
    now = SUNDAY_EVENING + 2 * MINUTE_MS;
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    await deliverWatchEvent('userctx.watch.unbound', watch.did);
    await advanceTo(due + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([]);

    const nextWatch = await TestWatch.createEnrolled(replica);
    await nextWatch.bindTo(replica, owner, cid);
    await deliverWatchEvent('userctx.watch.bound', nextWatch.did);
    fixture.boundFamily.watch = nextWatch;
    await fixture.report([fixture.fix(due + 5 * MINUTE_MS, 900)]);
    expect(await fixture.publishedEvents()).toEqual([]);
    await advanceTo(due + DAY_MS + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([`NOT_ARRIVED ${due + DAY_MS}`]);
  });

  test('prevents NOT_ARRIVED even before the event userctx.watch.unbound is delivered', async () => {
    fixture = await FenceFixture.create(environment, replica, { windows: [SCHOOL_WINDOW] });
    await replica.get(WatchBindingService).unbind(fixture.boundFamily.owner, fixture.boundFamily.watch.did);
    await advanceTo(due + DELAY_MS);
    expect(await fixture.publishedEvents()).toEqual([]);
  });
});

describe('retention of fence data', () => {
  test('keeps fence events for 30 days', async () => {
    fixture = await FenceFixture.create(environment, replica);
    await fixture.report([fixture.fix(SUNDAY_EVENING + MINUTE_MS, 900)]);
    await fixture.report([fixture.fix(SUNDAY_EVENING + 2 * MINUTE_MS, 0)]);
    await replica.get(FenceMonitorService).deleteOldEvents(SUNDAY_EVENING + 30 * DAY_MS);
    expect(await fixture.publishedEvents()).toHaveLength(1);
    await replica.get(FenceMonitorService).deleteOldEvents(SUNDAY_EVENING + 30 * DAY_MS + 1);
    expect(await environment.query('SELECT 1 FROM userctx.fence_event WHERE cid = $1', [fixture.cid])).toEqual([]);
  });

  test('deletes the fences, fence states and fence events of an erased child', async () => {
    fixture = await FenceFixture.create(environment, replica);
    await fixture.report([
      fixture.fix(SUNDAY_EVENING + MINUTE_MS, 900),
      fixture.fix(SUNDAY_EVENING + 2 * MINUTE_MS, 0),
    ]);
    await environment.deliverErasure(replica, 'userctx.fences.erase-child', fixture.boundFamily);
    for (const table of ['fence', 'fence_watch', 'fence_event']) {
      expect(await environment.query(`SELECT 1 FROM userctx.${table} WHERE cid = $1`, [fixture.cid])).toEqual([]);
    }
  });
});
