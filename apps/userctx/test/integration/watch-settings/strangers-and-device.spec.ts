import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfilesService } from '../../../src/contexts/families/member-profiles.service.js';
import { AlarmClocksService } from '../../../src/contexts/watch-settings/alarm-clocks/alarm-clocks.service.js';
import { DeviceSettingsService } from '../../../src/contexts/watch-settings/device-settings/device-settings.service.js';
import { EraseChildWatchSettingsHandler } from '../../../src/contexts/watch-settings/erase-child-watch-settings.handler.js';
import { EarlyExitsService } from '../../../src/contexts/watch-settings/school-times/early-exits.service.js';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times/school-times.service.js';
import { BlockedCallsService } from '../../../src/contexts/watch-settings/strangers/blocked-calls.service.js';
import { StrangersService } from '../../../src/contexts/watch-settings/strangers/strangers.service.js';
import {
  WATCH_LOG_RETENTION_MS,
  WatchLogRetentionJob,
} from '../../../src/contexts/watch-settings/watch-log-retention.job.js';
import { WatchPullService } from '../../../src/contexts/watch-settings/watch-pull.service.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DOCTOR = { areaCode: '86', phoneNumber: '02155501234' };

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let strangers: StrangersService;
let calls: BlockedCallsService;
let device: DeviceSettingsService;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  strangers = replica.get(StrangersService);
  calls = replica.get(BlockedCallsService);
  device = replica.get(DeviceSettingsService);
});
beforeEach(async () => {
  home = await createBoundFamily(world, replica);
  ({ did } = home.watch);
});
afterAll(() => world.close());

const told = async () => {
  const events = await world.events('userctx.watch-settings.changed', home.familyId);
  return events.map(({ resource, version, by }) => [resource, version, by]);
};

describe('strangers', () => {
  it('are refused until somebody decides otherwise', async () => {
    expect(await strangers.get(home.owner, did)).toMatchObject({ enabled: true, version: 0, state: 'APPLIED' });
    expect(await strangers.update(home.owner, { did, enabled: true })).toEqual({ version: 0 });
    expect(await strangers.update(home.owner, { did, enabled: false })).toEqual({ version: 1 });
    expect(await strangers.get(home.watch.principal, did)).toMatchObject({ enabled: false, version: 1 });
  });

  it('may call once when they are allowed to: the call uses it up, and the watch is told', async () => {
    const { allowNumber } = await strangers.allow(home.owner, { did, ...DOCTOR });
    expect(allowNumber).toMatchObject({ areaCode: '+86', phoneNumber: DOCTOR.phoneNumber, once: true });
    expect(allowNumber.expiresAt - Date.now()).toBeGreaterThan(3_590_000);
    const lasting = await strangers.allow(home.owner, { did, ...DOCTOR, phoneNumber: '02155509999', once: false });
    const time = Date.now();
    const report = [
      { time, ...DOCTOR, outcome: 'ALLOWED' as const },
      { time, areaCode: '86', phoneNumber: '02155509999', outcome: 'ALLOWED' as const },
    ];
    await calls.report(home.watch.principal, report);
    await calls.report(home.watch.principal, report);
    const rule = await strangers.get(home.owner, did);
    expect([rule.version, rule.allowNumbers]).toEqual([3, [lasting.allowNumber]]);
    expect((await told()).at(-1)).toEqual(['REJECT_STRANGER', 3, `watch:${did}`]);
    expect(await calls.list(home.owner, { did })).toEqual({ items: [], nextCursor: null });
    await strangers.disallow(home.owner, { did, allowId: lasting.allowNumber.allowId });
    expect((await strangers.get(home.owner, did)).allowNumbers).toEqual([]);
  });

  it('may not call any more when the time is over', async () => {
    const { allowNumber } = await strangers.allow(home.owner, { did, ...DOCTOR, expiresIn: 60 });
    await world.query('update userctx.allowed_number set expires_at = $1', [Date.now() - 1]);
    expect((await strangers.get(home.owner, did)).allowNumbers).toEqual([]);
    const { allowId } = allowNumber;
    expect(await outcomeOf(() => strangers.disallow(home.owner, { did, allowId }))).toBe('ALLOW_NUMBER_NOT_FOUND');
  });

  it('are fifty at most', async () => {
    for (let made = 0; made < 50; made += 1) await strangers.allow(home.owner, { did, ...DOCTOR });
    expect(await outcomeOf(() => strangers.allow(home.owner, { did, ...DOCTOR }))).toBe('LIMIT_REACHED');
  });
});

describe('blocked calls', () => {
  it('are kept once each, and read from the newest on', async () => {
    const now = Date.now();
    const reported = [
      { time: now - 5, ...DOCTOR, outcome: 'BLOCKED' as const },
      { time: now - 3, outcome: 'BLOCKED' as const },
      { time: now - 4, ...DOCTOR, outcome: 'BLOCKED' as const, cause: 'SCHOOL_TIME' as const },
    ];
    await calls.report(home.watch.principal, reported);
    await calls.report(home.watch.principal, [...reported, ...reported]);
    const first = await calls.list(home.owner, { did, limit: 2 });
    expect(first.items.map(({ callId, ...call }) => call)).toEqual([
      { time: now - 3, areaCode: null, phoneNumber: null, cause: 'STRANGER' },
      { time: now - 4, areaCode: '+86', phoneNumber: DOCTOR.phoneNumber, cause: 'SCHOOL_TIME' },
    ]);
    const second = await calls.list(home.owner, { did, cursor: first.nextCursor ?? '' });
    expect([second.items.map(({ time }) => time), second.nextCursor]).toEqual([[now - 5], null]);
  });

  it('from before the binding are the other child’s and belong to nobody here', async () => {
    const before = Date.now();
    await sleep(2);
    await replica.get(WatchBindingService).unbind(home.owner, did);
    const report = [{ time: before, outcome: 'BLOCKED' as const }];
    expect(await outcomeOf(() => calls.report(home.watch.principal, report))).toBe('WATCH_UNBOUND');
    const buyer = await world.person(replica);
    await home.watch.bindTo(replica, buyer, await world.child(replica, buyer));
    await calls.report(home.watch.principal, [...report, { time: Date.now() + 1, outcome: 'BLOCKED' }]);
    expect((await calls.list(buyer, { did })).items.map(({ time }) => time > before)).toEqual([true]);
  });
});

describe('device settings', () => {
  it('have a lasting mode, and one for a while that gives way to it again', async () => {
    expect(await device.get(home.owner, did)).toMatchObject({ locationMode: 'NORMAL', locationModeUntil: null });
    await device.setLocationMode(home.owner, { did, mode: 'SAVE' });
    await device.setLocationMode(home.owner, { did, mode: 'FOLLOW', expiresIn: 60 });
    const now = await device.get(home.watch.principal, did);
    expect(now).toMatchObject({ version: 2, locationMode: 'FOLLOW', locationModeAfter: 'SAVE' });
    expect((now.locationModeUntil ?? 0) - Date.now()).toBeGreaterThan(55_000);
    await world.query('update userctx.device_settings set temporary_until = $1', [Date.now() - 1]);
    const over = { version: 2, locationMode: 'SAVE', locationModeUntil: null, locationModeAfter: null };
    expect(await device.get(home.owner, did)).toMatchObject(over);
  });

  it('say that the watch is lost, with a message that is forgotten when it is found', async () => {
    await device.setLostMode(home.owner, { did, lost: true, lostMessage: 'Please call Anna' });
    expect(await device.setLostMode(home.owner, { did, lost: true })).toEqual({ version: 1 });
    expect(await device.get(home.owner, did)).toMatchObject({ lost: true, lostMessage: 'Please call Anna' });
    expect(await device.setLostMode(home.owner, { did, lost: true, lostMessage: null })).toEqual({ version: 2 });
    expect(await device.get(home.owner, did)).toMatchObject({ lost: true, lostMessage: null });
    await device.setLostMode(home.owner, { did, lost: false, lostMessage: 'ignored' });
    expect(await device.get(home.owner, did)).toMatchObject({ lost: false, lostMessage: null, locationMode: 'NORMAL' });
  });
});

describe('settings belong to the child', () => {
  it('a replaced watch is told of what was ever changed, at the versions they have', async () => {
    await strangers.update(home.owner, { did, enabled: false });
    await device.setLostMode(home.owner, { did, lost: true });
    await device.setLostMode(home.owner, { did, lost: false });
    await replica.get(WatchBindingService).unbind(home.owner, did);
    const next = await TestWatch.enrolled(replica);
    await next.bindTo(replica, home.owner, home.cid);
    const [payload] = (await world.events('userctx.watch.bound', home.familyId)).slice(-1);
    if (!payload) throw new Error('Nobody was bound');
    const event = {
      id: crypto.randomUUID(),
      name: 'userctx.watch.bound',
      key: home.familyId,
      time: payload.time,
      payload,
    };
    const before = (await told()).length;
    await world.publish([event, event]);
    const all = await world.events('userctx.watch-settings.changed', home.familyId);
    expect(all.slice(before)).toMatchObject([
      { resource: 'DEVICE', version: 2, did: next.did, cid: home.cid },
      { resource: 'REJECT_STRANGER', version: 1, did: next.did, cid: home.cid },
    ]);
    const pulled = await replica.get(WatchPullService).get(next.principal);
    expect(pulled).toMatchObject({
      timeZone: 'Asia/Shanghai',
      ALARM_CLOCK: { version: 0 },
      SCHOOL_DISABLE: { version: 0 },
      REJECT_STRANGER: { version: 1, enabled: false, state: 'PENDING' },
      DEVICE: { version: 2 },
    });
  });

  it('who sees children reads them, and only who may change settings changes them', async () => {
    async function member(role: 2 | 3 | 4, permissions: ('SETTINGS' | 'LOCATION' | 'CHAT')[]): Promise<Principal> {
      const person = await world.person(replica);
      const { card } = await replica.get(MemberProfilesService).get(person.id);
      const terms = { role, permissions, childPermissions: {} };
      const roster = replica.get(FamilyRosterService);
      await replica.get(UserctxUnitOfWork).run(() => roster.addMember(home.familyId, person.id, terms, card));
      return person;
    }
    const cases: [Principal, string, string][] = [
      [await member(2, ['SETTINGS']), 'ok', 'ok'],
      [await member(2, []), 'ok', 'PERMISSION_MISSING'],
      [await member(3, ['LOCATION']), 'ok', 'PERMISSION_MISSING'],
      [await member(4, ['CHAT']), 'PERMISSION_MISSING', 'PERMISSION_MISSING'],
      [home.watch.principal, 'ok', 'PERMISSION_MISSING'],
      [await world.person(replica), 'WATCH_NOT_FOUND', 'WATCH_NOT_FOUND'],
    ];
    for (const [caller, reads, changes] of cases) {
      expect(await outcomeOf(() => strangers.get(caller, did))).toBe(reads);
      expect(await outcomeOf(() => strangers.update(caller, { did, enabled: false }))).toBe(changes);
    }
  });

  it('what is old goes, and of an erased child nothing is left', async () => {
    const kept = await createBoundFamily(world, replica);
    for (const { owner, watch } of [home, kept]) {
      const named = { did: watch.did };
      await replica.get(AlarmClocksService).create(owner, { ...named, hour: 7, minute: 0 });
      await replica.get(SchoolTimesService).create(owner, { ...named, start: '08:00', end: '09:00', weekdays: [1] });
      await replica.get(SchoolTimesService).pauseToday(owner, named);
      await replica.get(EarlyExitsService).report(watch.principal, [{ time: 1 }]);
      await strangers.update(owner, { ...named, enabled: false });
      await strangers.allow(owner, { ...named, ...DOCTOR });
      await calls.report(watch.principal, [{ time: 1, outcome: 'BLOCKED' }]);
      await device.setLostMode(owner, { ...named, lost: true });
    }
    const { familyId, cid } = home;
    const handler = replica.get(EraseChildWatchSettingsHandler);
    await world.deliver(replica, handler, { name: 'userctx.child.erased', payload: { familyId, cid } });
    const rows = async (child: string) => {
      const counts = TABLES.map((table) => world.query(`select 1 from userctx.${table} where cid = $1`, [child]));
      return (await Promise.all(counts)).map(({ length }) => Number(length > 0));
    };
    expect(await rows(cid)).toEqual(TABLES.map(() => 0));
    expect(await rows(kept.cid)).toEqual(TABLES.map(() => 1));

    const job = replica.get(WatchLogRetentionJob);
    await job.run();
    expect(await rows(kept.cid)).toEqual(TABLES.map(() => 1));
    await job.run(Date.now() + WATCH_LOG_RETENTION_MS + 1_000);
    const gone = ['school_early_exit', 'blocked_call', 'allowed_number'];
    expect(await rows(kept.cid)).toEqual(TABLES.map((table) => Number(!gone.includes(table))));
  });
});

const TABLES = [
  'settings_version',
  'alarm_clock',
  'school_time',
  'school_pause',
  'school_early_exit',
  'stranger_rule',
  'allowed_number',
  'blocked_call',
  'device_settings',
];
