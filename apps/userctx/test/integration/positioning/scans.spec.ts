import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { ConsentsService } from '../../../src/contexts/accounts/consents/consents.service.js';
import { LocatorService } from '../../../src/contexts/positioning/locator.service.js';
import type { LocationDistribution } from '../../../src/contexts/positioning/plane.js';
import { ScanIntakeService } from '../../../src/contexts/positioning/scan-intake.service.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

interface NetworkRow extends Omit<LocationDistribution, 'squaredDistanceSum'> {
  scatter: number;
  learned: boolean;
  support: number;
  witnesses: string[];
  contradictions: string[];
}

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 10, 12);

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let intake: ScanIntakeService;
let families: [BoundFamilyFixture, BoundFamilyFixture];
/** Families other than the two families that create and confirm the networks. */
let otherFamilies: BoundFamilyFixture[];

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  intake = replica.get(ScanIntakeService);
  families = [await createBoundFamily(environment, replica), await createBoundFamily(environment, replica)];
  otherFamilies = [];
  for (let index = 0; index < 3; index += 1) otherFamilies.push(await createBoundFamily(environment, replica));
});
afterAll(() => environment.close());
beforeEach(async () => {
  await environment.query('delete from userctx.radio_network');
  await environment.query('delete from userctx.witness_salt');
  for (const { owner } of [...families, ...otherFamilies]) await setConsent(owner);
});

const setConsent = (owner: BoundFamilyFixture['owner'], granted = true) =>
  replica.get(ConsentsService).update(owner, { purpose: 'POSITIONING', granted });

const wifi = (serial: number, extra: object = {}) => ({
  macAddress: `00:1b:21:00:00:${serial.toString(16).padStart(2, '0')}`,
  signalStrength: -60,
  ...extra,
});

function scan(change: object = {}): object {
  const networks = { wifiAccessPoints: [wifi(1), wifi(2)], cellTowers: [] };
  return { latitude: '45.38', longitude: '14.14', radius: 10, positionTime: NOW, ...networks, ...change };
}

const report = (family: BoundFamilyFixture, scans: object[], now = NOW) =>
  intake.process(family.watch.principal, scans, now);
const rows = () => environment.query<NetworkRow>('select * from userctx.radio_network order by network_key');
const locate = (serials: number[]) =>
  outcomeOf(() =>
    replica.get(LocatorService).locate(families[0].watch.principal, {
      wifiAccessPoints: serials.map((serial) => wifi(serial)),
      cellTowers: [],
      ipAddress: '192.0.2.7',
    }),
  );

describe('a scan report', () => {
  it('returns a result per scan, and stores the networks of accepted scans; rejected scans have a reason', async () => {
    const results = await report(families[0], [
      scan(),
      scan({ latitude: 'north' }),
      scan({ radius: 500 }),
      scan({ positionTime: NOW + 10 * 60_000 }),
      scan({ positionTime: NOW - 8 * DAY_MS }),
      scan({ wifiAccessPoints: [] }),
      scan({ wifiAccessPoints: [wifi(3, { ssid: 'x_nomap' }), { macAddress: '02:00:00:00:00:01' }] }),
      scan({ cellTowers: [{ radioType: 'lte' }] }),
      scan({ positionTime: NOW - 6 * DAY_MS }),
    ]);
    expect(results.map(({ accepted, reason }) => (accepted ? 'ok' : reason))).toEqual([
      'ok',
      'INVALID_LATITUDE',
      'POOR_ACCURACY',
      'NOT_RECENT',
      'NOT_RECENT',
      'NOTHING_TO_LEARN',
      'NOTHING_TO_LEARN',
      'INVALID_CELL_TOWERS',
      'ok',
    ]);
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await rows()).toHaveLength(2);
  });

  it('treats differently formatted MAC addresses as one network', async () => {
    const written = [wifi(1), wifi(1, { macAddress: '001B21000001' }), wifi(1, { macAddress: '00-1b-21-00-00-01' })];
    await report(families[0], [scan({ wifiAccessPoints: written }), scan({ wifiAccessPoints: written })]);
    expect(await rows()).toHaveLength(1);
  });

  it('loses no update when many reports of the same networks arrive concurrently', async () => {
    const weightOf = async () => (await rows()).map(({ weight }) => weight.toFixed(6));
    for (let time = 0; time < 20; time += 1) await report(families[time % 2]!, [scan()]);
    const expected = await weightOf();
    await environment.query('delete from userctx.radio_network');
    const [ascending, descending] = [
      [wifi(1), wifi(2)],
      [wifi(2), wifi(1)],
    ];
    await Promise.all(
      Array.from({ length: 20 }, (_, time) =>
        report(families[time % 2]!, [scan({ wifiAccessPoints: time % 3 ? ascending : descending })]),
      ),
    );
    expect(await weightOf()).toEqual(expected);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
  });
});

describe('observers of a network (the families whose watches reported the network)', () => {
  it('are stored as pseudonyms that differ between networks, and only until the next day', async () => {
    await report(families[0], [scan()]);
    const [one, other] = await rows();
    expect([one?.witnesses.length, other?.witnesses.length]).toEqual([1, 1]);
    expect(one?.witnesses).not.toEqual(other?.witnesses);
    await report(families[0], [scan()]);
    expect((await rows()).map(({ learned }) => learned)).toEqual([false, false]);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    await report(families[1], [scan()]);
    expect((await rows()).map(({ learned, witnesses }) => [learned, witnesses.length])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    expect(await locate([1, 2])).toBe('ok');
    const before = await rows();
    await report(otherFamilies[0]!, [scan({ positionTime: NOW + DAY_MS })], NOW + DAY_MS);
    for (const [index, { witnesses }] of (await rows()).entries()) {
      expect(witnesses).toHaveLength(1);
      expect(before[index]?.witnesses).not.toContain(witnesses[0]);
    }
  });

  it('are one observer when two watches of one family report', async () => {
    const sibling = await createBoundFamily(environment, replica, families[0].owner);
    expect(sibling.familyId).toBe(families[0].familyId);
    for (const each of [families[0], sibling]) await report(each, [scan()]);
    expect((await rows()).map(({ learned, witnesses }) => [learned, witnesses.length])).toEqual([
      [false, 1],
      [false, 1],
    ]);
  });

  it('are counted twice for one family on two days, because pseudonyms of different days cannot be linked', async () => {
    await report(families[0], [scan()]);
    await report(families[0], [scan({ positionTime: NOW + DAY_MS })], NOW + DAY_MS);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
    const salts = await environment.query<{ salt: Buffer }>('select salt from userctx.witness_salt');
    expect(new Set(salts.map(({ salt }) => salt.toString('hex'))).size).toBe(2);
  });

  it('do not include watches that are not bound', async () => {
    const owner = await environment.createPerson(replica);
    await setConsent(owner);
    const watch = await TestWatch.createEnrolled(replica);
    const process = () => outcomeOf(() => intake.process(watch.principal, [scan()], NOW));
    expect(await process()).toBe('WATCH_UNBOUND');
    const cid = await environment.createChild(replica, owner);
    await watch.bindTo(replica, owner, cid);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    expect(await process()).toBe('WATCH_UNBOUND');
    expect(await rows()).toEqual([]);
  });

  it('cannot be identified once the salt of the day is deleted', async () => {
    await report(families[0], [scan()]);
    await replica.get(ScanIntakeService).deleteUnobserved(NOW);
    expect(await environment.query('select 1 from userctx.witness_salt')).toHaveLength(1);
    await replica.get(ScanIntakeService).deleteUnobserved(NOW + DAY_MS);
    expect(await environment.query('select 1 from userctx.witness_salt')).toEqual([]);
    expect(await rows()).toHaveLength(2);
  });
});

describe('a confirmed network', () => {
  it('is deleted when any watch reports the network with a name that opts out (suffix _nomap)', async () => {
    for (const family of families) await report(family, [scan()]);
    await report(families[1], [scan({ wifiAccessPoints: [wifi(1, { ssid: 'home_nomap' })] })]);
    expect(await rows()).toHaveLength(1);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
  });

  it('keeps its location when the watches of one family report it elsewhere, near or far', async () => {
    for (const family of families) await report(family, [scan()]);
    const before = await rows();
    const attacker = otherFamilies[0]!;
    const sibling = await createBoundFamily(environment, replica, attacker.owner);
    for (let round = 0; round < 5; round += 1) {
      for (const each of [attacker, sibling]) await report(each, [scan({ latitude: '45.48' })]);
    }
    const stored = await rows();
    expect(stored).toMatchObject(
      before.map(({ latitude, longitude, weight, scatter }) => ({ latitude, longitude, weight, scatter })),
    );
    expect(stored.map(({ learned, contradictions }) => [learned, contradictions.length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    for (let round = 0; round < 20; round += 1) {
      await report(otherFamilies[1]!, Array<object>(50).fill(scan({ latitude: '45.385' })));
    }
    for (const { weight } of await rows()) expect(weight).toBeLessThan(6);
    expect(await locate([1, 2])).toBe('ok');
  });

  it('that an earlier version stored without support and observers is not deleted by reports of one family', async () => {
    for (const family of families) await report(family, [scan()]);
    await environment.query(`update userctx.radio_network set support = 0, witnesses = '{}', witness_weights = '{}'`);
    for (let round = 0; round < 3; round += 1) await report(families[0], [scan({ latitude: '45.48' })]);
    expect(await rows()).toMatchObject([
      { learned: true, support: 2 },
      { learned: true, support: 2 },
    ]);
  });

  it('is reset on the day after three families observe it elsewhere, and learned again from reports two days later', async () => {
    for (const family of families) await report(family, [scan()]);
    const elsewhere = { latitude: '45.48', wifiAccessPoints: [wifi(1)] };
    const nextDay = NOW + DAY_MS;
    for (const family of otherFamilies) await report(family, [scan({ ...elsewhere, positionTime: nextDay })], nextDay);
    expect(await locate([1, 2])).toBe('ok');
    const blockStart = NOW + 2 * DAY_MS;
    for (const family of families) await report(family, [scan({ ...elsewhere, positionTime: blockStart })], blockStart);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    expect((await rows()).filter(({ learned }) => learned)).toHaveLength(1);
    const later = NOW + 4 * DAY_MS;
    for (const family of families) await report(family, [scan({ ...elsewhere, positionTime: later })], later);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
  });

  it('keeps its location when three families observe it elsewhere before three others observe it there', async () => {
    for (const family of families) await report(family, [scan()]);
    const another = await createBoundFamily(environment, replica);
    await setConsent(another.owner);
    const honest = [...families, another];
    const midnight = NOW + DAY_MS / 2;
    const elsewhere = scan({ latitude: '45.48', positionTime: midnight });
    for (const family of otherFamilies) await report(family, [elsewhere], midnight);
    const noon = NOW + DAY_MS;
    for (const family of honest) await report(family, [scan({ positionTime: noon })], noon);
    await report(families[0], [scan({ positionTime: noon + DAY_MS })], noon + DAY_MS);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
    expect(await locate([1, 2])).toBe('ok');
  });

  it('is deleted after a year without observations; an unconfirmed network is deleted after a month', async () => {
    await report(families[0], [scan({ wifiAccessPoints: [wifi(9)] })]);
    for (const family of families) await report(family, [scan()]);
    const countAfter = async (days: number) => {
      await replica.get(ScanIntakeService).deleteUnobserved(NOW + days * DAY_MS);
      return (await rows()).length;
    };
    expect([await countAfter(30), await countAfter(31), await countAfter(365), await countAfter(366)]).toEqual([
      3, 2, 2, 0,
    ]);
  });
});

describe('withdrawing a consent', () => {
  it('completes after reports that are being processed; later reports store nothing', async () => {
    const [{ owner }] = families;
    for (let round = 0; round < 10; round += 1) {
      await setConsent(owner);
      await environment.query('delete from userctx.radio_network');
      const reports = Promise.all(Array.from({ length: 6 }, () => report(families[0], [scan()])));
      await setConsent(owner, false);
      const rowsAtWithdrawal = await rows();
      const results = await reports;
      expect(await rows()).toEqual(rowsAtWithdrawal);
      const accepted = results.flat().filter((result) => result.accepted).length;
      expect(rowsAtWithdrawal.length).toBe(accepted > 0 ? 2 : 0);
    }
  });

  it('waits for the transaction that relies on the consent', async () => {
    const [{ owner, watch }] = families;
    const order: string[] = [];
    let [confirmReliance, startWithdrawal] = [(): void => undefined, (): void => undefined];
    const relianceConfirmed = new Promise<void>((resolve) => (confirmReliance = resolve));
    const withdrawalStarted = new Promise<void>((resolve) => (startWithdrawal = resolve));
    const transaction = replica.get(UserctxUnitOfWork).run(async () => {
      expect(await replica.get(ConsentsService).isGranted(watch.principal, 'POSITIONING')).toBe(true);
      confirmReliance();
      await withdrawalStarted;
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('stored');
    });
    await relianceConfirmed;
    const withdrawal = setConsent(owner, false).then(() => order.push('withdrawn'));
    startWithdrawal();
    await Promise.all([transaction, withdrawal]);
    expect(order).toEqual(['stored', 'withdrawn']);
  });
});
