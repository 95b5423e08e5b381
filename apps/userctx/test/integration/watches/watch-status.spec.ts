import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import { ChildrenService } from '../../../src/families/children/children.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { WatchStatusService } from '../../../src/watches/status/watch-status.service.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const NO_VALUES = { battery: null, charging: null, worn: null, signal: null, signalMax: null };
const UNKNOWN_STATUS: WatchStatus = { ...NO_VALUES, stepTotal: null, firmwareVersion: null };

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let owner: Principal;
let cid: string;
let watch: TestWatch;
let start: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
});

beforeEach(async () => {
  owner = await environment.createPerson(replica);
  cid = await environment.createChild(replica, owner, 'UTC');
  watch = await TestWatch.createEnrolled(replica);
  await watch.bindTo(replica, owner, cid);
  start = Date.now() + 1;
});

afterAll(() => environment.close());

function reportStatus(status: Partial<WatchStatus>, time: number, did = watch.did): Promise<void> {
  const payload = { ...UNKNOWN_STATUS, ...status, did, time };
  return environment.deliver(replica, 'userctx.watches.record-status', {
    name: 'gateway.watch.status-reported',
    payload,
  });
}

async function stepsByDay(child = cid): Promise<Record<string, number>> {
  const rows = await environment.query<{ day: string; steps: number }>(
    'SELECT day::text, steps FROM userctx.step_day WHERE cid = $1',
    [child],
  );
  return Object.fromEntries(rows.map(({ day, steps }) => [day, steps]));
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

describe('watch status', () => {
  test('is unknown before the first report', async () => {
    expect(await replica.get(WatchBindingService).get(owner, watch.did)).toMatchObject({
      did: watch.did,
      cid,
      battery: null,
      signal: null,
      lastSeen: null,
      online: null,
      firmwareVersion: '1.0.0',
    });
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child?.device).toMatchObject({ did: watch.did, battery: 0, signal: 0, signalMax: 0 });
  });

  test('contains the values of the newest report, and earlier values where that report has none', async () => {
    await reportStatus({ battery: 80, signal: 3, signalMax: 4, firmwareVersion: '1.1.0' }, start + 10);
    await reportStatus({ battery: 79 }, start + 20);
    await reportStatus({ battery: 99, signal: 0 }, start + 15);
    expect(await replica.get(WatchBindingService).get(owner, watch.did)).toMatchObject({
      battery: 79,
      signal: 3,
      signalMax: 4,
      firmwareVersion: '1.1.0',
      lastSeen: start + 20,
    });
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child?.device).toMatchObject({ battery: 79, signal: 3, signalMax: 4 });
  });

  test.each([
    ['in one report', [{ signal: 9, signalMax: 5 }], { signal: 5, signalMax: 5 }],
    ['of an earlier report', [{ signalMax: 5 }, { signal: 9 }], { signal: 5, signalMax: 5 }],
    ['of a later report', [{ signal: 9 }, { signalMax: 5 }], { signal: 5, signalMax: 5 }],
    ['that is the only value', [{ signalMax: 5 }], { signal: null, signalMax: 5 }],
  ])('contains no signal level above signalMax %s', async (_, reports, stored) => {
    for (const [index, report] of reports.entries()) await reportStatus(report, start + index);
    expect(await replica.get(WatchBindingService).get(owner, watch.did)).toMatchObject(stored);
  });

  test('contains the online state from the newest presence event', async () => {
    const { did } = watch;
    const reportPresence = (online: boolean, time: number, lastSeen: number) =>
      environment.deliver(replica, 'userctx.watches.record-status', {
        name: 'gateway.watch.presence-changed',
        payload: { did, online, time, lastSeen },
      });
    const readPresence = async () => {
      const { online, lastSeen } = await replica.get(WatchBindingService).get(owner, did);
      return { online, lastSeen };
    };
    await reportPresence(true, start + 1, start + 1);
    expect(await readPresence()).toEqual({ online: true, lastSeen: start + 1 });
    await reportPresence(false, start + 3, start + 2);
    await reportPresence(true, start + 2, start + 2);
    expect(await readPresence()).toEqual({ online: false, lastSeen: start + 2 });
    const { items } = await replica.get(WatchBindingService).list(owner, {});
    expect(items).toMatchObject([{ did, online: false, battery: null }]);
  });

  test('contains the time of the last contact, which a lost connection does not update', async () => {
    const handler = 'userctx.watches.record-status';
    const { did } = watch;
    const readLastSeen = async () => (await replica.get(WatchBindingService).get(owner, did)).lastSeen;
    await environment.deliver(replica, handler, {
      name: 'gateway.watch.started',
      payload: { did, time: start + 5, cause: 'USER' },
    });
    expect(await readLastSeen()).toBe(start + 5);
    await environment.deliver(replica, handler, {
      name: 'gateway.watch.shut-down',
      payload: { did, time: start + 90, cause: 'LOST_CONNECTION' },
    });
    expect(await readLastSeen()).toBe(start + 5);
    await environment.deliver(replica, handler, {
      name: 'gateway.watch.shut-down',
      payload: { did, time: start + 95, cause: 'BATTERY' },
    });
    expect(await readLastSeen()).toBe(start + 95);
  });

  test('is not stored for an unknown watch', async () => {
    await expect(reportStatus({ battery: 1 }, start, 12_345)).resolves.toBeUndefined();
    expect(await environment.query('SELECT 1 FROM userctx.watch_status WHERE did = 12345')).toEqual([]);
  });
});

describe('steps', () => {
  test('of the first report are counted as a whole, once, even if two arrive at the same time', async () => {
    await Promise.all([1, 2].map(() => replica.get(WatchStatusService).reportSteps(watch.did, 100)));
    expect(await stepsByDay()).toEqual({ [dayOf(Date.now())]: 100 });
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child?.stepCount).toBe(100);
  });

  test('are counted across counter resets and without duplicates', async () => {
    await reportStatus({ stepTotal: 1_000 }, start + 10);
    await reportStatus({ stepTotal: 1_400 }, start + 20);
    await reportStatus({ battery: 50 }, start + 25);
    await reportStatus({ stepTotal: 1_400 }, start + 30);
    await reportStatus({ stepTotal: 70 }, start + 40);
    await reportStatus({ stepTotal: 5_000 }, start + 35);
    expect(await stepsByDay()).toEqual({ [dayOf(start)]: 1_470 });
    const [child] = await replica.get(ChildrenService).list(owner);
    expect(child?.stepCount).toBe(1_470);
  });

  test('are counted neither from nor after a reading that a child cannot have walked', async () => {
    await reportStatus({ stepTotal: 1_000 }, start + 10);
    await reportStatus({ stepTotal: 2_147_483_647 }, start + 20);
    expect(await replica.get(WatchBindingService).get(owner, watch.did)).toMatchObject({ stepTotal: null });
    await reportStatus({ stepTotal: 1_400 }, start + 30);
    await reportStatus({ stepTotal: 1_450 }, start + 40);
    expect(await stepsByDay()).toEqual({ [dayOf(start)]: 1_050 });
  });

  test('of one day are at most 50,000, whatever the watch reports', async () => {
    const noon = Date.parse(`${dayOf(start + 86_400_000)}T12:00:00Z`);
    for (let minute = 0; minute < 12; minute++) {
      await reportStatus({ stepTotal: minute % 2 === 0 ? 0 : 12_000 }, noon + minute * 60_000);
    }
    expect(await stepsByDay()).toEqual({ [dayOf(noon)]: 50_000 });
  });

  test("are counted for the day in the child's time zone", async () => {
    const [kiritimati, midway] = [
      await environment.createChild(replica, owner, 'Pacific/Kiritimati'),
      await environment.createChild(replica, owner, 'Pacific/Midway'),
    ];
    const noon = Date.parse(`${dayOf(start + 86_400_000)}T11:30:00Z`);
    const days: string[] = [];
    for (const child of [kiritimati, midway]) {
      const other = await TestWatch.createEnrolled(replica);
      await other.bindTo(replica, owner, child);
      await reportStatus({ stepTotal: 0 }, noon - 1_000, other.did);
      await reportStatus({ stepTotal: 10 }, noon, other.did);
      days.push(...Object.keys(await stepsByDay(child)));
    }
    // At 11:30 UTC, it is the next day 14 hours ahead of UTC, and still the same day 11 hours behind UTC.
    expect(days).toEqual([dayOf(noon + 86_400_000), dayOf(noon)]);
  });

  test('across midnight are distributed over both days', async () => {
    const midnight = Date.parse(`${dayOf(start + 2 * 86_400_000)}T00:00:00Z`);
    await reportStatus({ stepTotal: 0 }, start);
    await reportStatus({ stepTotal: 0 }, midnight - 60_000);
    await reportStatus({ stepTotal: 300 }, midnight + 120_000);
    expect(await stepsByDay()).toEqual({ [dayOf(midnight - 1)]: 100, [dayOf(midnight)]: 200 });
  });

  test('of two watches on one day are added up for the child, without readings after unbinding', async () => {
    await reportStatus({ stepTotal: 1_000 }, start + 10);
    await reportStatus({ stepTotal: 1_400 }, start + 20);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    const second = await TestWatch.createEnrolled(replica);
    await second.bindTo(replica, owner, cid);
    const time = Date.now() + 1_000;
    await reportStatus({ stepTotal: 70 }, time, second.did);
    await reportStatus({ stepTotal: 95 }, time + 10, second.did);
    // This reading does not count, because its watch is no longer bound.
    await reportStatus({ stepTotal: 9_000 }, time + 20);
    expect(await stepsByDay()).toEqual({ [dayOf(time)]: 1_495 });
  });

  test('of a newer REST request do not discard the battery level of an earlier status report', async () => {
    const status = replica.get(WatchStatusService);
    await reportStatus({ battery: 90, stepTotal: 100 }, start);
    await sleep(10);
    const timeBeforeRequest = Date.now();
    await sleep(10);
    await status.reportSteps(watch.did, 160);
    await reportStatus({ battery: 89, stepTotal: 130 }, timeBeforeRequest);
    expect(await replica.get(WatchBindingService).get(owner, watch.did)).toMatchObject({ battery: 89, stepTotal: 160 });
    expect(Object.values(await stepsByDay())).toEqual([160]);
  });

  test('of a watch that another child has worn are counted from the first reading of the new binding on', async () => {
    await reportStatus({ stepTotal: 1_000 }, start + 10);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    const secondCid = await environment.createChild(replica, owner, 'UTC');
    await watch.bindTo(replica, owner, secondCid);
    await reportStatus({ stepTotal: 1_700 }, Date.now() + 1_000);
    await reportStatus({ stepTotal: 1_705 }, Date.now() + 2_000);
    expect(Object.values(await stepsByDay(secondCid))).toEqual([5]);
  });

  test('are erased with the status when the binding ends, and not counted twice when the child gets the watch again', async () => {
    await reportStatus({ battery: 80, stepTotal: 900 }, start);
    await sleep(5);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    const readStatus = () =>
      environment.query('SELECT battery, step_total FROM userctx.watch_status WHERE did = $1', [watch.did]);
    expect(await readStatus()).toEqual([{ battery: null, step_total: null }]);
    // A report from before the end of the binding arrives late.
    await reportStatus({ battery: 79, stepTotal: 950 }, start + 1);
    expect(await readStatus()).toEqual([{ battery: null, step_total: null }]);
    await watch.bindTo(replica, owner, cid);
    await sleep(5);
    const time = Date.now();
    await reportStatus({ stepTotal: 1_000 }, time);
    await reportStatus({ stepTotal: 1_040 }, time + 1);
    expect(await stepsByDay()).toEqual({ [dayOf(time)]: 940 });
  });

  test('reported before the first binding of the watch are not counted', async () => {
    const other = await TestWatch.createEnrolled(replica);
    await reportStatus({ stepTotal: 100 }, Date.now() - 1_000, other.did);
    const secondCid = await environment.createChild(replica, owner, 'UTC');
    await other.bindTo(replica, owner, secondCid);
    await reportStatus({ stepTotal: 900 }, Date.now() + 1, other.did);
    await reportStatus({ stepTotal: 905 }, Date.now() + 1_000, other.did);
    expect(Object.values(await stepsByDay(secondCid))).toEqual([805]);
  });
});
