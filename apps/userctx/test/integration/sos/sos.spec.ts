import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AlertSmsJob } from '../../../src/contexts/alerts/alert-sms.job.js';
import { AlertSmsService } from '../../../src/contexts/alerts/alert-sms.service.js';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { MemberContactsService } from '../../../src/contexts/contacts/member-contacts.service.js';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfilesService } from '../../../src/contexts/families/member-profiles.service.js';
import { FenceMonitorService } from '../../../src/contexts/fences/fence-monitor.service.js';
import { EraseChildSosHandler } from '../../../src/contexts/sos/erase-child-sos.handler.js';
import { StartSosNotificationHandler } from '../../../src/contexts/sos/start-sos-notification.handler.js';
import { SosEscalationJob } from '../../../src/contexts/sos/sos-escalation.job.js';
import { SosEscalationService } from '../../../src/contexts/sos/sos-escalation.service.js';
import { SosRetentionJob } from '../../../src/contexts/sos/sos-retention.job.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { DeviceSettingsService } from '../../../src/contexts/watch-settings/device-settings/device-settings.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let calls: SosService;
let owner: Principal;
let home: BoundFamilyFixture;
let inbox: RecordedAlerts;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // Only the tests move the time and bring events to handlers.
  replica = await world.replica({}, { jobs: [SosEscalationJob, AlertSmsJob], relay: true });
  calls = replica.get(SosService);
  inbox = new RecordedAlerts(replica);
});
beforeEach(async () => {
  // What other tests have left is not due in this one.
  await world.query('delete from userctx.sos');
  await world.query('delete from userctx.alert_sms');
  home = await createBoundFamily(world, replica);
  owner = home.owner;
});
afterAll(() => world.close());

const refused = (reason: string) => expect.objectContaining({ reason });
const place = () => ({
  latitude: '31.2304',
  longitude: '121.4737',
  radius: 12,
  pointType: 1,
  positionTime: Date.now(),
});
const raise = (more: { time?: number; location?: unknown } = {}) => calls.raise(home.watch.principal, more);
const list = async () => (await calls.list(owner, { cid: home.cid })).items;

async function guardian(permissions: 'ALERTS'[]): Promise<Principal> {
  const person = await world.person(replica);
  const { card } = await replica.get(MemberProfilesService).get(person.id);
  const grant = { role: 2 as const, permissions, childPermissions: {} };
  const roster = replica.get(FamilyRosterService);
  await replica.get(UserctxUnitOfWork).run(async () => {
    await roster.addMember(home.familyId, person.id, grant, card);
    await replica.get(MemberContactsService).syncMembers(home.familyId, `user:${owner.id}`);
  });
  return person;
}

/** What the other apps heard of this child's calls, oldest first. */
async function told(): Promise<string[]> {
  const rows = await world.query<{ name: string }>(
    `select name from userctx.outbox where name like 'userctx.sos.%' and payload->>'cid' = $1 order by position`,
    [home.cid],
  );
  return rows.map(({ name }) => name.slice('userctx.sos.'.length));
}

describe('a call for help', () => {
  it('is raised, told, acknowledged by whom, and resolved', async () => {
    const point = place();
    const time = Date.now() - 5_000;
    const { sosId, state } = await raise({ time, location: point });
    expect(state).toBe('RAISED');
    const [fact] = (await world.events('userctx.sos.raised', home.familyId)).filter(({ cid }) => cid === home.cid);
    expect(fact).toEqual({ familyId: home.familyId, cid: home.cid, did: home.watch.did, sosId, time });
    if (fact)
      await world.deliver(replica, replica.get(StartSosNotificationHandler), {
        name: 'userctx.sos.raised',
        payload: fact,
      });
    expect(await list()).toMatchObject([
      { sosId, state: 'NOTIFYING', raisedAt: time, location: point, acknowledgedBy: null },
    ]);
    const helper = await guardian(['ALERTS']);
    const request = { cid: home.cid, sosId };
    expect(await calls.acknowledge(helper, request)).toMatchObject({
      state: 'ACKNOWLEDGED',
      acknowledgedBy: `user:${helper.id}`,
    });
    // Who comes later reads who was first, and nothing is told again.
    expect(await calls.acknowledge(owner, request)).toMatchObject({ acknowledgedBy: `user:${helper.id}` });
    expect(await calls.resolve(owner, request)).toMatchObject({ state: 'RESOLVED', resolvedBy: `user:${owner.id}` });
    await calls.resolve(helper, request);
    expect(await calls.acknowledge(helper, request)).toMatchObject({ state: 'RESOLVED' });
    expect(await told()).toEqual(['raised', 'acknowledged', 'resolved']);
  });

  it('says where the child is, like any report', async () => {
    await raise({ location: place() });
    const [location] = await world.query('select 1 from userctx.child_location where cid = $1', [home.cid]);
    expect(location).toBeDefined();
  });

  it('is heard although its position cannot be stored', async () => {
    const fences = jest.spyOn(replica.get(FenceMonitorService, { strict: false }), 'evaluate');
    fences.mockRejectedValue(new Error('No'));
    await raise({ location: place() }).finally(() => fences.mockRestore());
    expect(await list()).toMatchObject([{ state: 'RAISED', location: { latitude: '31.2304' } }]);
  });

  it.each([[{ latitude: 'north' }], ['here'], [null], [42], [[]]])(
    'is heard with a bad position: %j',
    async (location) => {
      await raise({ location });
      expect(await list()).toMatchObject([{ state: 'RAISED', location: null }]);
    },
  );

  it('again joins what nobody has resolved, and says the newest position', async () => {
    const first = await raise();
    const point = place();
    const again = await Promise.all([raise({ location: point }), raise({ time: Date.now() }), raise()]);
    expect(new Set(again.map(({ sosId }) => sosId))).toEqual(new Set([first.sosId]));
    expect(await list()).toMatchObject([{ location: point }]);
    expect(await told()).toEqual(['raised']);
  });

  it('at once from a watch that sends twice is one', async () => {
    await Promise.all(Array.from({ length: 8 }, () => raise({ time: 1_790_000_000_000 })));
    expect(await list()).toHaveLength(1);
    expect(await told()).toEqual(['raised']);
  });

  it('sent again after it was resolved is the same, a new one is new', async () => {
    const time = Date.now() - 60_000;
    const { sosId } = await raise({ time });
    await raise({ time: time + 1 });
    await calls.resolve(owner, { cid: home.cid, sosId });
    for (const repeated of [time, time + 1]) {
      expect(await raise({ time: repeated })).toEqual({ sosId, state: 'RESOLVED' });
    }
    expect((await raise({ time: time + 2 })).sosId).not.toBe(sosId);
  });

  it('of an unbound watch is nobody’s', async () => {
    const stray = await TestWatch.enrolled(replica);
    await expect(calls.raise(stray.principal, {})).rejects.toEqual(refused('WATCH_UNBOUND'));
  });
});

describe('whose business it is', () => {
  it('one guardian of many at once takes care of it', async () => {
    const helpers = [await guardian(['ALERTS']), await guardian(['ALERTS']), await guardian(['ALERTS'])];
    const { sosId } = await raise();
    const seen = await Promise.all(helpers.map((helper) => calls.acknowledge(helper, { cid: home.cid, sosId })));
    expect(new Set(seen.map(({ acknowledgedBy }) => acknowledgedBy)).size).toBe(1);
    expect(await told()).toEqual(['raised', 'acknowledged']);
  });

  it('a stranger’s, another child’s and one without the permission is refused', async () => {
    const { sosId } = await raise();
    const stranger = await world.person(replica);
    await expect(calls.acknowledge(stranger, { cid: home.cid, sosId })).rejects.toEqual(refused('CHILD_NOT_FOUND'));
    const bystander = await guardian([]);
    await expect(calls.resolve(bystander, { cid: home.cid, sosId })).rejects.toEqual(refused('PERMISSION_MISSING'));
    const sibling = await createBoundFamily(world, replica, owner);
    for (const id of [sosId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
      await expect(calls.resolve(owner, { cid: sibling.cid, sosId: id })).rejects.toEqual(refused('SOS_NOT_FOUND'));
    }
    expect(await list()).toMatchObject([{ state: 'RAISED' }]);
  });
});

describe('what is kept', () => {
  it('a year of what was resolved, for ever what was not', async () => {
    const { sosId } = await raise();
    const later = Date.now() + 400 * 24 * 3_600_000;
    await replica.get(SosRetentionJob).run(later);
    expect(await list()).toHaveLength(1);
    await calls.resolve(owner, { cid: home.cid, sosId });
    await replica.get(SosRetentionJob).run(later);
    expect(await list()).toHaveLength(0);
  });

  it('nothing of an erased child', async () => {
    await raise({ time: Date.now() });
    const payload = { familyId: home.familyId, cid: home.cid };
    await world.deliver(replica, replica.get(EraseChildSosHandler), { name: 'userctx.child.erased', payload });
    expect(await list()).toEqual([]);
    expect(await world.query('select 1 from userctx.sos_raise where did = $1', [home.watch.did])).toEqual([]);
  });
});

describe('the contacts’ turns', () => {
  const STEP = 30_000;
  const REPEAT = 600_000;
  const tick = (time: number) => replica.get(SosEscalationService).processDue(time);
  const steps = async () =>
    (await list())[0]?.steps.map(({ step, channel, userId, at }) => [step, channel, userId, at]);

  it('begin with everybody’s apps, and go on with the first of the order, by app and SMS', async () => {
    const { sosId } = await raise();
    const [call] = await list();
    const raisedAt = call?.steps[0]?.at ?? 0;
    expect(call).toMatchObject({ nextStepAt: raisedAt + STEP, steps: [{ step: 0, channel: 'APP', refId: null }] });
    expect(await tick(raisedAt + STEP - 1)).toBe(0);
    await tick(raisedAt + STEP);
    expect(await steps()).toEqual([
      [0, 'APP', null, raisedAt],
      [1, 'APP', owner.id, raisedAt + STEP],
      [1, 'SMS', owner.id, raisedAt + STEP],
    ]);
    // Though the bus has not said that it has the call: somebody is being told.
    expect(await list()).toMatchObject([{ state: 'NOTIFYING', nextStepAt: raisedAt + STEP + REPEAT }]);
    const facts = await world.events('userctx.sos.escalated', home.familyId);
    expect(facts.filter((fact) => fact.sosId === sosId)).toMatchObject([{ step: 1, userIds: [owner.id] }]);
  });

  it('pass over a member who may not see alerts', async () => {
    const bystander = await guardian([]);
    const helper = await guardian(['ALERTS']);
    await raise();
    const start = Date.now();
    for (const turn of [1, 2, 3]) await tick(start + turn * (STEP + 1_000));
    const told = (await steps())?.flatMap(([, channel, userId]) => (channel === 'SMS' ? [userId] : []));
    expect(told).toEqual([owner.id, helper.id]);
    expect(told).not.toContain(bystander.id);
  });

  it('wait while the child is deleted, and go on when it is restored', async () => {
    await raise();
    const start = Date.now();
    await replica.get(ChildDeletionService).delete(owner, home.cid);
    await tick(start + STEP + 1_000);
    await replica.get(ChildDeletionService).restore(owner, home.cid);
    expect(await steps()).toHaveLength(1);
    await tick(start + STEP + REPEAT + 2_000);
    expect(await steps()).toHaveLength(3);
  });

  it('end with the acknowledgement, also for an SMS that the provider has not taken yet', async () => {
    const { sosId } = await raise();
    const later = Date.now() + STEP + 1_000;
    inbox.failing = true;
    await tick(later);
    const sms = replica.get(AlertSmsService);
    await sms.sendDue(later);
    await calls.acknowledge(owner, { cid: home.cid, sosId });
    inbox.failing = false;
    await sms.sendDue(later + 60_000);
    expect(inbox.alerts).toEqual([]);
    expect(await list()).toMatchObject([{ state: 'ACKNOWLEDGED', nextStepAt: null }]);
    expect(await tick(later + 24 * 3_600_000)).toBe(0);
  });

  it('are shown to a hundred, the last ones', async () => {
    await raise();
    let time = Date.now();
    for (let turn = 0; turn < 60; turn += 1) {
      time += REPEAT;
      await tick(time);
    }
    const shown = await list();
    expect(shown[0]?.steps).toHaveLength(100);
    expect(shown[0]?.steps.at(-1)).toMatchObject({ step: 60, at: time, refId: null });
  });
});

describe('the watch', () => {
  const mode = async () => (await replica.get(DeviceSettingsService).get(owner, home.watch.did)).locationMode;

  it('is followed until the call is resolved, and then behaves as its parents have set', async () => {
    const settings = replica.get(DeviceSettingsService);
    await settings.setLocationMode(owner, { did: home.watch.did, mode: 'SAVE' });
    const { sosId } = await raise();
    expect(await mode()).toBe('FOLLOW');
    await calls.acknowledge(owner, { cid: home.cid, sosId });
    expect(await mode()).toBe('FOLLOW');
    await calls.resolve(owner, { cid: home.cid, sosId });
    expect(await mode()).toBe('SAVE');
  });

  it('hears what became of its call by saying it again', async () => {
    const time = Date.now();
    const { sosId } = await raise({ time });
    await calls.acknowledge(owner, { cid: home.cid, sosId });
    expect(await raise({ time })).toEqual({ sosId, state: 'ACKNOWLEDGED' });
    expect(await told()).toEqual(['raised', 'acknowledged']);
  });
});
