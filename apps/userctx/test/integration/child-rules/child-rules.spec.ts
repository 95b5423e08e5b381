import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import type { DomainEvents } from '@family-watch/domain/events';
import { ChildRulesService } from '../../../src/contexts/child-rules/child-rules.service.js';
import { RefreshChildRulesHandler } from '../../../src/contexts/child-rules/refresh-child-rules.handler.js';
import { ChildRulesBackfillJob } from '../../../src/contexts/child-rules/child-rules-backfill.job.js';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { ChildErasureJob } from '../../../src/contexts/children/child-erasure.job.js';
import { ChildrenService } from '../../../src/contexts/children/children.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times/school-times.service.js';
import { PublishTimeZoneChangeHandler } from '../../../src/contexts/watch-settings/versions/publish-time-zone-change.handler.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  weight: 120,
  height: 125,
};
const LESSONS = { start: '08:00', end: '12:00', weekdays: [1, 2, 3, 4, 5] };

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let other: INestApplicationContext;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  other = await world.replica({}, { relay: true });
});
beforeEach(async () => {
  home = await createBoundFamily(world, replica);
  ({ did } = home.watch);
});
afterAll(() => world.close());

const told = (): Promise<ChildRules[]> => world.events('userctx.child-rules.changed', home.familyId);

const versions = async (): Promise<number[]> => (await told()).map(({ version }) => version);

async function newest(): Promise<ChildRules> {
  const last = (await told()).at(-1);
  if (!last) throw new Error('Nothing was told');
  return last;
}

const renew = (where = replica) => where.get(ChildRulesService).publishIfChanged(home.familyId, home.cid);

/** Plays everything that the family's outbox holds to the handler, as often as `times` says. */
async function replay(times = 1, order: 'forwards' | 'backwards' = 'forwards'): Promise<void> {
  const rows = await world.query<{ name: keyof DomainEvents; payload: never }>(
    'select name, payload from userctx.outbox where key = $1 order by position',
    [home.familyId],
  );
  const handler = replica.get(RefreshChildRulesHandler);
  const mine = rows.filter(({ name }) => (handler.event as readonly string[]).includes(name));
  for (let time = 0; time < times; time += 1) {
    for (const { name, payload } of order === 'forwards' ? mine : mine.toReversed())
      await world.deliver(replica, handler as never, { name: name as never, payload });
  }
}

describe('the rules of a child', () => {
  it('are the whole of it: zone, school times, pause and members, the owner allowed at school', async () => {
    const schoolTimes = replica.get(SchoolTimesService);
    const { schoolTime } = await schoolTimes.create(home.owner, { did, ...LESSONS, holidays: ['2026-10-01'] });
    await schoolTimes.create(home.owner, { did, start: '13:00', end: '14:00', weekdays: [1], enabled: false });
    const { items } = await replica.get(ContactsService).list(home.owner, did);
    const { schoolTimeId } = schoolTime;
    await schoolTimes.update(home.owner, { did, schoolTimeId, allowContacts: items.map(({ refId }) => refId) });
    const { pausedOn } = await schoolTimes.pauseToday(home.owner, { did });
    await replay();
    expect(await newest()).toEqual({
      familyId: home.familyId,
      cid: home.cid,
      timeZone: 'Asia/Shanghai',
      pausedOn,
      version: 1,
      familyVersion: expect.any(Number),
      schoolTimes: [{ ...LESSONS, holidays: [20_727], extraDates: [] }],
      contacts: [
        {
          userId: home.owner.id,
          canCall: true,
          canChat: true,
          canVideo: true,
          schoolAllowed: true,
          allowedIn: [0],
        },
      ],
    });
  });

  it('have a version for each change and none for what changes nothing, however often and in whatever order it is heard', async () => {
    await replay(2);
    expect(await versions()).toEqual([1]);
    const { schoolTime } = await replica.get(SchoolTimesService).create(home.owner, { did, ...LESSONS });
    await replay(2, 'backwards');
    expect(await versions()).toEqual([1, 2]);
    // A label is no rule.
    const { schoolTimeId } = schoolTime;
    await replica.get(SchoolTimesService).update(home.owner, { did, schoolTimeId, label: 'Morning' });
    await replay();
    expect(await versions()).toEqual([1, 2]);
    await replica.get(ChildrenService).update(home.owner, { cid: home.cid, ...CHILD, timeZone: 'Europe/Berlin' });
    await replay();
    expect(await newest()).toMatchObject({ version: 3, timeZone: 'Europe/Berlin' });
  });

  it('are told once by two replicas that hear of a change at once', async () => {
    await Promise.all(Array.from({ length: 6 }, (_, at) => renew(at % 2 === 0 ? replica : other)));
    expect(await versions()).toEqual([1]);
    await replica.get(SchoolTimesService).create(home.owner, { did, ...LESSONS });
    await Promise.all(Array.from({ length: 6 }, (_, at) => renew(at % 2 === 0 ? replica : other)));
    expect(await versions()).toEqual([1, 2]);
  });

  it('are the newest state at the end, whatever changes while they are told', async () => {
    const changes = Array.from({ length: 5 }, (_, at) =>
      replica
        .get(SchoolTimesService)
        .create(home.owner, { did, start: `0${at}:00`, end: `0${at}:30`, weekdays: [1] })
        .then(() => renew(at % 2 === 0 ? replica : other)),
    );
    await Promise.all(changes);
    const all = await told();
    expect((await newest()).schoolTimes).toHaveLength(5);
    expect(all.map(({ version }) => version)).toEqual(all.map((_, at) => at + 1));
  });

  it('of children from before are told once, by whichever replica comes first', async () => {
    await renew();
    await world.query('update userctx.child_rules set rules = null, version = 0 where cid = $1', [home.cid]);
    await Promise.all([replica.get(ChildRulesBackfillJob).run(), other.get(ChildRulesBackfillJob).run()]);
    expect(await versions()).toEqual([1, 1]);
    await replica.get(ChildRulesBackfillJob).run();
    expect(await versions()).toHaveLength(2);
  });

  it('of a child that is not there are neither told nor kept', async () => {
    const rows = () => world.query('select cid from userctx.child_rules where family_id = $1', [home.familyId]);
    await replica.get(ChildRulesService).publishIfChanged(home.familyId, randomUUID());
    expect([await versions(), await rows()]).toEqual([[], []]);
    await renew();
    const before = await told();
    await replica.get(ChildDeletionService).delete(home.owner, home.cid);
    await replay();
    expect(await told()).toEqual(before);
    await replica.get(ChildErasureJob).run(Date.now() + 8 * 86_400_000);
    await replay();
    expect(await rows()).toEqual([]);
    await renew();
    expect(await rows()).toEqual([]);
  });
});

describe('the time zone of a child', () => {
  const update = (fields: object) =>
    replica.get(ChildrenService).update(home.owner, { cid: home.cid, ...CHILD, ...fields });
  const settings = async () => {
    const changes = await world.events('userctx.child.updated', home.familyId);
    const payload = changes.at(-1);
    if (!payload) throw new Error('Nothing was changed');
    const event = { name: 'userctx.child.updated', payload } as const;
    await world.deliver(replica, replica.get(PublishTimeZoneChangeHandler), event);
    return world.events('userctx.watch-settings.changed', home.familyId);
  };

  it('is told to the watch as a new version of its device settings, once it is another', async () => {
    await update({ timeZone: 'Asia/Shanghai' });
    expect(await settings()).toEqual([]);
    await update({ name: 'Lea' });
    expect(await settings()).toEqual([]);
    await update({ timeZone: 'Europe/Berlin' });
    expect(await settings()).toMatchObject([{ resource: 'DEVICE', version: 1, did, cid: home.cid }]);
  });
});
