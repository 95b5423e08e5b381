import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TestingModule } from '@nestjs/testing';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FamilyRoster } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfiles } from '../../../src/contexts/families/member-profiles.service.js';
import { OnChildErasedHandler } from '../../../src/contexts/sos/on-child-erased.handler.js';
import { OnSosRaisedHandler } from '../../../src/contexts/sos/on-sos-raised.handler.js';
import { SosRetentionJob } from '../../../src/contexts/sos/sos-retention.job.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { outcomeOf, settleHome } from '../../support/bound-home.js';
import type { BoundHome } from '../../support/bound-home.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesWorld } from '../../support/watches-world.js';

jest.setTimeout(60_000);

let world: WatchesWorld;
let replica: TestingModule;
let calls: SosService;
let owner: Principal;
let home: BoundHome;

beforeAll(async () => {
  world = await WatchesWorld.open();
  replica = await world.replica();
  calls = replica.get(SosService);
});
beforeEach(settle);
afterAll(() => world.close());

async function settle(): Promise<void> {
  home = await settleHome(world, replica);
  owner = home.owner;
}

const refused = (reason: string) => expect.objectContaining({ reason });
const place = () => ({
  ...{ latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1 },
  positionTime: Date.now(),
});
const raise = (more: { time?: number; location?: unknown } = {}) => calls.raise(home.watch.principal, more);
const list = async () => (await calls.list(owner, { cid: home.cid })).items;

async function guardian(permissions: 'ALERTS'[]): Promise<Principal> {
  const person = await world.person(replica);
  const { card } = await replica.get(MemberProfiles).get(person.id);
  const grant = { role: 2 as const, permissions, childPermissions: {} };
  const roster = replica.get(FamilyRoster);
  await replica.get(UserctxUnitOfWork).run(() => roster.addMember(home.familyId, person.id, grant, card));
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
      await world.deliver(replica, replica.get(OnSosRaisedHandler), { name: 'userctx.sos.raised', payload: fact });
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
    const sibling = await settleHome(world, replica, owner);
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
    await world.deliver(replica, replica.get(OnChildErasedHandler), { name: 'userctx.child.erased', payload });
    expect(await list()).toEqual([]);
    expect(await world.query('select 1 from userctx.sos_raise where did = $1', [home.watch.did])).toEqual([]);
  });
});

it('does what the model says: one call is open at a time, and each step is told once', async () => {
  const steps = fc.array(fc.constantFrom('raise', 'notify', 'acknowledge', 'resolve'), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await settle();
      const expected: string[] = [];
      let open: { sosId: string; state: string } | undefined;
      for (const step of taken) {
        if (step === 'raise') {
          const { sosId } = await raise();
          expect(sosId === open?.sosId).toBe(open !== undefined);
          if (!open) expected.push('raised');
          open ??= { sosId, state: 'RAISED' };
        } else if (open) {
          const request = { cid: home.cid, sosId: open.sosId };
          if (step === 'notify') {
            await notify(open.sosId);
            if (open.state === 'RAISED') open.state = 'NOTIFYING';
          } else if (step === 'acknowledge') {
            expect(await outcomeOf(() => calls.acknowledge(owner, request))).toBe('ok');
            if (open.state !== 'ACKNOWLEDGED') expected.push('acknowledged');
            open.state = 'ACKNOWLEDGED';
          } else {
            await calls.resolve(owner, request);
            expected.push('resolved');
            open = undefined;
          }
        }
        const [newest] = (await list()).filter(({ state }) => state !== 'RESOLVED');
        expect(newest?.state).toBe(open?.state);
      }
      expect(await told()).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

async function notify(sosId: string): Promise<void> {
  const payload = { familyId: home.familyId, cid: home.cid, did: home.watch.did, sosId, time: Date.now() };
  await world.deliver(replica, replica.get(OnSosRaisedHandler), { name: 'userctx.sos.raised', payload });
}
