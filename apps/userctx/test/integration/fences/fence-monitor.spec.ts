import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { FENCE_LIMITS } from '@family-watch/domain/locations/contracts/fence';
import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import { FenceMonitorService } from '../../../src/locations/fences/fence-monitor.service.js';
import { FencesService } from '../../../src/locations/fences/fences.service.js';
import { ALERT_SMS_JOB } from '../../../src/sos/alert-sms.service.js';
import { SOS_ESCALATION_JOB } from '../../../src/sos/sos-escalation.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { createCircle, FenceFixture } from '../../support/fence-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const MINUTE_MS = 60_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let fixture: FenceFixture;
/** Unix milliseconds of one minute after the creation of the fence. */
let start: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The suite counts the SQL statements of this process; the disabled parts would execute statements every second.
  replica = await environment.replica(
    {},
    { disabledJobs: [SOS_ESCALATION_JOB, ALERT_SMS_JOB], isEventBusDisabled: true },
  );
});
beforeEach(async () => {
  fixture = await FenceFixture.create(environment, replica);
  start = Date.now() + MINUTE_MS;
});
afterAll(() => environment.close());

const timeOfMinute = (minute: number) => start + minute * MINUTE_MS;

describe('a child that enters and leaves a fence', () => {
  test('triggers ENTERED and LEFT, which are published and listed', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500)]);
    expect(await fixture.publishedEvents()).toEqual([]);
    await fixture.report([fixture.fix(timeOfMinute(1), 20)]);
    await fixture.report([fixture.fix(timeOfMinute(2), -30)]);
    await fixture.report([fixture.fix(timeOfMinute(3), 300), fixture.fix(timeOfMinute(4), 20)]);
    expect(await fixture.publishedEvents()).toEqual([
      `ENTERED ${timeOfMinute(1)}`,
      `LEFT ${timeOfMinute(3)}`,
      `ENTERED ${timeOfMinute(4)}`,
    ]);
    const { items } = await replica.get(FencesService).listEvents(fixture.boundFamily.owner, { cid: fixture.cid });
    expect(items.map(({ type, fenceName, late }) => [type, fenceName, late])).toEqual([
      ['ENTERED', 'School', false],
      ['LEFT', 'School', false],
      ['ENTERED', 'School', false],
    ]);
  });

  test('triggers no event when its fixes are inaccurate or not credible', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500)]);
    await fixture.report([
      fixture.fix(timeOfMinute(1), 0, { pointType: POINT_TYPE.CELL, radius: 10 }),
      fixture.fix(timeOfMinute(2), 0, { pointType: POINT_TYPE.IP }),
      fixture.fix(timeOfMinute(3), 0, { pointType: POINT_TYPE.UNKNOWN }),
      fixture.fix(timeOfMinute(4), 50, { radius: 60 }),
      fixture.fix(timeOfMinute(5), 105),
    ]);
    // These fixes are not credible: one is in the future, the other at an impossible distance.
    await fixture.report([fixture.fix(timeOfMinute(30), 0)], timeOfMinute(6));
    await fixture.report([fixture.fix(timeOfMinute(7), 900_000)]);
    expect(await fixture.publishedEvents()).toEqual([]);
    await fixture.report([fixture.fix(timeOfMinute(8), 50, { pointType: POINT_TYPE.WIFI, radius: 40 })]);
    expect(await fixture.publishedEvents()).toEqual([`ENTERED ${timeOfMinute(8)}`]);
  });

  test('triggers ENTERED when fixes overrule a wrong one that contradicted them', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500_000)]);
    for (const minute of [1, 2]) await fixture.report([fixture.fix(timeOfMinute(minute), 500)]);
    expect(await fixture.publishedEvents()).toEqual([]);
    await fixture.report([fixture.fix(timeOfMinute(3), 0)]);
    expect(await fixture.publishedEvents()).toEqual([`ENTERED ${timeOfMinute(3)}`]);
  });

  test('triggers one event for a fix that is reported repeatedly, concurrently or later', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500)]);
    const arrival = [fixture.fix(timeOfMinute(1), 0)];
    await Promise.all([fixture.report(arrival), fixture.report(arrival), fixture.report(arrival)]);
    await fixture.report(arrival, timeOfMinute(40));
    expect(await fixture.publishedEvents()).toEqual([`ENTERED ${timeOfMinute(1)}`]);
  });

  test('triggers only the types of events of which each fence notifies', async () => {
    const fences = replica.get(FencesService);
    const notify = { entered: false, left: true, dwelled: false };
    await fences.create(fixture.boundFamily.owner, { cid: fixture.cid, name: 'Yard', ...createCircle(0, 60), notify });
    const minuteAfterCreation = (minute: number) => timeOfMinute(minute) + MINUTE_MS;
    await fixture.report([fixture.fix(minuteAfterCreation(0), 500)]);
    await fixture.report([fixture.fix(minuteAfterCreation(1), 10)]);
    await fixture.report([fixture.fix(minuteAfterCreation(2), 85)]);
    await fixture.report([fixture.fix(minuteAfterCreation(3), 400)]);
    const { items } = await fences.listEvents(fixture.boundFamily.owner, { cid: fixture.cid });
    expect(items.map(({ type, fenceName, time }) => [fenceName, type, time]).toSorted()).toEqual([
      ['School', 'ENTERED', minuteAfterCreation(1)],
      ['School', 'LEFT', minuteAfterCreation(3)],
      ['Yard', 'LEFT', minuteAfterCreation(2)],
    ]);
  });

  test('stores no fence state when the child has no fences', async () => {
    const { fenceId } = fixture.fence;
    await replica.get(FencesService).delete(fixture.boundFamily.owner, { cid: fixture.cid, fenceId });
    await fixture.report([fixture.fix(timeOfMinute(0), 0)]);
    const rows = await environment.query('SELECT last_time, states FROM userctx.fence_watch WHERE cid = $1', [
      fixture.cid,
    ]);
    expect(rows).toEqual([{ last_time: null, states: [] }]);
  });
});

describe('many children in one batch', () => {
  test('are evaluated with two to four SQL statements, whatever the number of children', async () => {
    const fixtures = await Promise.all(Array.from({ length: 10 }, () => FenceFixture.create(environment, replica)));
    const unitOfWork = replica.get(UserctxUnitOfWork);
    // The counter counts only the statements of the evaluation, because jobs of the replica run at the same time.
    const evaluation = new AsyncLocalStorage<{ statements: number }>();
    const query = unitOfWork.executor.query.bind(unitOfWork.executor);
    jest.spyOn(unitOfWork.executor, 'query').mockImplementation((statement, parameters) => {
      const count = evaluation.getStore();
      if (count) count.statements += 1;
      return query(statement, parameters);
    });
    const evaluate = async (minute: number, metres: number): Promise<number> => {
      const points = fixtures.map(({ boundFamily: { familyId, cid, watch } }) => ({
        familyId,
        cid,
        did: watch.did,
        receivedAt: timeOfMinute(minute),
        points: [{ point: fixture.fix(timeOfMinute(minute), metres), flags: [] }],
      }));
      const count = { statements: 0 };
      const monitor = replica.get(FenceMonitorService);
      await evaluation.run(count, () =>
        unitOfWork.run(async () => monitor.evaluate(await monitor.findMonitored(points), points)),
      );
      return count.statements;
    };
    // The first evaluation also reads the fences.
    expect(await evaluate(10, 500)).toBe(3);
    expect(await evaluate(11, 600)).toBe(2);
    // Each child enters its fence: one more statement inserts all fence events, and another one all outbox rows.
    expect(await evaluate(12, 0)).toBe(4);
    for (const fixture of fixtures) expect(await fixture.publishedEvents()).toEqual([`ENTERED ${timeOfMinute(12)}`]);
    jest.restoreAllMocks();
  });
});

describe('late points', () => {
  test('are not evaluated if more than 200,000 evaluations (fences times fixes) would have to be repeated', async () => {
    const withoutEvents = { notify: { entered: false, left: false, dwelled: false }, ...createCircle(9_000) };
    for (let count = 1; count < FENCE_LIMITS.perChild; count += 1) {
      await replica
        .get(FencesService)
        .create(fixture.boundFamily.owner, { cid: fixture.cid, name: String(count), ...withoutEvents });
    }
    const fixesFrom = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => fixture.fix(from + index * 1_000, 150));
    await fixture.report([fixture.fix(timeOfMinute(1), 150), ...fixesFrom(timeOfMinute(10), 4_200)]);
    await fixture.report([fixture.fix(timeOfMinute(2), 20)], timeOfMinute(81));
    expect(await fixture.publishedEvents()).toEqual([]);
    // The 4,200 new fixes of this report do not count towards the limit, because none was evaluated before.
    await fixture.report(
      [fixture.fix(timeOfMinute(75) + 500, 20), ...fixesFrom(timeOfMinute(81), 4_200)],
      timeOfMinute(152),
    );
    expect(await fixture.publishedEvents()).toEqual([
      `ENTERED ${timeOfMinute(75) + 500} late`,
      `LEFT ${timeOfMinute(75) + 1_000} late`,
    ]);
  });

  test('trigger events that are marked late, and do not change the current side of the child', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500), fixture.fix(timeOfMinute(60), 10)]);
    await fixture.report([fixture.fix(timeOfMinute(20), -20), fixture.fix(timeOfMinute(25), 800)], timeOfMinute(61));
    expect(await fixture.publishedEvents()).toEqual([
      `ENTERED ${timeOfMinute(60)}`,
      `ENTERED ${timeOfMinute(20)} late`,
      `LEFT ${timeOfMinute(25)} late`,
    ]);
    await fixture.report([fixture.fix(timeOfMinute(62), 10)]);
    await fixture.report([fixture.fix(timeOfMinute(63), 700)]);
    expect((await fixture.publishedEvents()).at(-1)).toBe(`LEFT ${timeOfMinute(63)}`);
  });

  test('trigger events that are marked late if they are old at receipt, even if they arrive in order', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500)]);
    await fixture.report([fixture.fix(timeOfMinute(1), 0), fixture.fix(timeOfMinute(28), 900)], timeOfMinute(30));
    expect(await fixture.publishedEvents()).toEqual([`ENTERED ${timeOfMinute(1)} late`, `LEFT ${timeOfMinute(28)}`]);
  });

  test('are stored without events when they are more than a day older than the newest fix', async () => {
    await fixture.report([fixture.fix(timeOfMinute(0), 500)]);
    await fixture.report([fixture.fix(timeOfMinute(3_000), 500)]);
    await fixture.report([fixture.fix(timeOfMinute(1_000), 0)], timeOfMinute(3_001));
    expect(await fixture.publishedEvents()).toEqual([]);
  });
});
