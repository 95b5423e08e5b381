import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { ConsentsService } from '../../../src/accounts/consents/consents.service.js';
import { LocatorService } from '../../../src/locations/positioning/locator.service.js';
import type { LocationDistribution } from '../../../src/locations/positioning/offsets.js';
import { ScanIntakeService } from '../../../src/locations/positioning/scan-intake.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

interface NetworkRow extends Omit<LocationDistribution, 'squaredDistanceSum'> {
  scatter: number;
  learned: boolean;
  support: number;
  witnesses: string[];
  contradictions: string[];
}

const FIND_NEW_KEY = 'SELECT network_key AS key FROM userctx.radio_network WHERE network_key <> ALL($1::uuid[])';
const LOCK_NETWORK = 'SELECT 1 FROM userctx.radio_network WHERE network_key = $1 FOR UPDATE';
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
  await environment.query('DELETE FROM userctx.radio_network');
  await environment.query('DELETE FROM userctx.witness_salt');
  for (const { owner } of [...families, ...otherFamilies]) await setConsent(owner);
});

const setConsent = (owner: BoundFamilyFixture['owner'], granted = true) =>
  replica.get(ConsentsService).update(owner, { purpose: 'POSITIONING', granted });

const createAccessPoint = (serial: number, extra: object = {}) => ({
  macAddress: `00:1b:21:00:00:${serial.toString(16).padStart(2, '0')}`,
  signalStrength: -60,
  ...extra,
});

function createScan(change: object = {}): object {
  const networks = { wifiAccessPoints: [createAccessPoint(1), createAccessPoint(2)], cellTowers: [] };
  return { latitude: '45.38', longitude: '14.14', radius: 10, positionTime: NOW, ...networks, ...change };
}

const report = (family: BoundFamilyFixture, scans: object[], now = NOW) =>
  intake.process(family.watch.principal, scans, now);
const storedNetworks = () => environment.query<NetworkRow>('SELECT * FROM userctx.radio_network ORDER BY network_key');
const locate = (serials: number[]) =>
  outcomeOf(() =>
    replica.get(LocatorService).locate(families[0].watch.principal, {
      wifiAccessPoints: serials.map((serial) => createAccessPoint(serial)),
      cellTowers: [],
      ipAddress: '192.0.2.7',
    }),
  );

describe('a scan report', () => {
  test('returns a result per scan, with the reason of a rejection, and stores the networks of accepted scans', async () => {
    const results = await report(families[0], [
      createScan(),
      createScan({ latitude: 'north' }),
      createScan({ radius: 500 }),
      createScan({ positionTime: NOW + 10 * 60_000 }),
      createScan({ positionTime: NOW - 8 * DAY_MS }),
      createScan({ wifiAccessPoints: [] }),
      createScan({
        wifiAccessPoints: [createAccessPoint(3, { ssid: 'x_nomap' }), { macAddress: '02:00:00:00:00:01' }],
      }),
      createScan({ cellTowers: [{ radioType: 'lte' }] }),
      createScan({ positionTime: NOW - 6 * DAY_MS }),
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
    expect(await storedNetworks()).toHaveLength(2);
  });

  test('treats differently formatted MAC addresses as one network', async () => {
    const notations = [
      createAccessPoint(1),
      createAccessPoint(1, { macAddress: '001B21000001' }),
      createAccessPoint(1, { macAddress: '00-1b-21-00-00-01' }),
    ];
    await report(families[0], [
      createScan({ wifiAccessPoints: notations }),
      createScan({ wifiAccessPoints: notations }),
    ]);
    expect(await storedNetworks()).toHaveLength(1);
  });

  test('loses no update when many reports of the same networks arrive concurrently', async () => {
    const storedWeights = async () => (await storedNetworks()).map(({ weight }) => weight.toFixed(6));
    for (let index = 0; index < 20; index += 1) await report(families[index % 2]!, [createScan()]);
    const expected = await storedWeights();
    await environment.query('DELETE FROM userctx.radio_network');
    const [ascending, descending] = [
      [createAccessPoint(1), createAccessPoint(2)],
      [createAccessPoint(2), createAccessPoint(1)],
    ];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        report(families[index % 2]!, [createScan({ wifiAccessPoints: index % 3 ? ascending : descending })]),
      ),
    );
    expect(await storedWeights()).toEqual(expected);
    expect((await storedNetworks()).map(({ learned }) => learned)).toEqual([true, true]);
  });
});

describe('observers of a network (the families whose watches reported the network)', () => {
  test('are stored as pseudonyms that differ between networks, and only until the next day', async () => {
    await report(families[0], [createScan()]);
    const [one, other] = await storedNetworks();
    expect([one?.witnesses.length, other?.witnesses.length]).toEqual([1, 1]);
    expect(one?.witnesses).not.toEqual(other?.witnesses);
    await report(families[0], [createScan()]);
    expect((await storedNetworks()).map(({ learned }) => learned)).toEqual([false, false]);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    await report(families[1], [createScan()]);
    expect((await storedNetworks()).map(({ learned, witnesses }) => [learned, witnesses.length])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    expect(await locate([1, 2])).toBe('ok');
    const before = await storedNetworks();
    await report(otherFamilies[0]!, [createScan({ positionTime: NOW + DAY_MS })], NOW + DAY_MS);
    for (const [index, { witnesses }] of (await storedNetworks()).entries()) {
      expect(witnesses).toHaveLength(1);
      expect(before[index]?.witnesses).not.toContain(witnesses[0]);
    }
  });

  test('are counted once when two watches of one family report', async () => {
    const sibling = await createBoundFamily(environment, replica, families[0].owner);
    expect(sibling.familyId).toBe(families[0].familyId);
    for (const family of [families[0], sibling]) await report(family, [createScan()]);
    expect((await storedNetworks()).map(({ learned, witnesses }) => [learned, witnesses.length])).toEqual([
      [false, 1],
      [false, 1],
    ]);
  });

  test('are counted twice for one family on two days, because pseudonyms of different days cannot be linked', async () => {
    await report(families[0], [createScan()]);
    await report(families[0], [createScan({ positionTime: NOW + DAY_MS })], NOW + DAY_MS);
    expect((await storedNetworks()).map(({ learned }) => learned)).toEqual([true, true]);
    const salts = await environment.query<{ salt: Buffer }>('SELECT salt FROM userctx.witness_salt');
    expect(new Set(salts.map(({ salt }) => salt.toString('hex'))).size).toBe(2);
  });

  test('do not include the families of watches that are not bound', async () => {
    const owner = await environment.createPerson(replica);
    await setConsent(owner);
    const watch = await TestWatch.createEnrolled(replica);
    const process = () => outcomeOf(() => intake.process(watch.principal, [createScan()], NOW));
    expect(await process()).toBe('WATCH_UNBOUND');
    const cid = await environment.createChild(replica, owner);
    await watch.bindTo(replica, owner, cid);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    expect(await process()).toBe('WATCH_UNBOUND');
    expect(await storedNetworks()).toEqual([]);
  });

  test('cannot be identified once the salt of the day is deleted', async () => {
    await report(families[0], [createScan()]);
    await replica.get(ScanIntakeService).deleteUnobserved(NOW);
    expect(await environment.query('SELECT 1 FROM userctx.witness_salt')).toHaveLength(1);
    await replica.get(ScanIntakeService).deleteUnobserved(NOW + DAY_MS);
    expect(await environment.query('SELECT 1 FROM userctx.witness_salt')).toEqual([]);
    expect(await storedNetworks()).toHaveLength(2);
  });
});

describe('a scan report that waits for a network in use', () => {
  const optOut = (serial: number) => createAccessPoint(serial, { ssid: 'home_nomap' });

  test.each([
    ['opts out of it and of another one', (low: number, high: number) => [optOut(low), optOut(high)]],
    ['observes it and opts out of another one', (low: number, high: number) => [createAccessPoint(low), optOut(high)]],
  ])('has not locked a network with a higher key when it %s', async (_, accessPointsOf) => {
    const keys: string[] = [];
    for (const serial of [1, 2]) {
      await report(families[0], [createScan({ wifiAccessPoints: [createAccessPoint(serial)] })]);
      keys.push(...(await environment.query<{ key: string }>(FIND_NEW_KEY, [keys])).map(({ key }) => key));
    }
    const [low = '', high = ''] = keys.toSorted();
    // The row with the lower key is stored behind the other one, so that a statement without an order locks it last.
    await environment.query('UPDATE userctx.radio_network SET heard_on = heard_on + 1 WHERE network_key = $1', [low]);
    const [lowLocked, reportWaits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = replica.get(UserctxUnitOfWork);
    const user = transaction.run(async () => {
      await transaction.executor.query(LOCK_NETWORK, [low]);
      lowLocked.resolve();
      await reportWaits.promise;
      await transaction.executor.query(`${LOCK_NETWORK} nowait`, [high]);
    });
    await lowLocked.promise;
    const wifiAccessPoints = accessPointsOf(keys.indexOf(low) + 1, keys.indexOf(high) + 1);
    const reporting = report(families[1], [createScan({ wifiAccessPoints })]);
    await environment.waitForBlockedStatement();
    reportWaits.resolve();
    await expect(user).resolves.toBeUndefined();
    await reporting;
  });
});

describe('a confirmed network', () => {
  test('is deleted when any watch reports the network with a name that opts out (suffix _nomap)', async () => {
    for (const family of families) await report(family, [createScan()]);
    await report(families[1], [createScan({ wifiAccessPoints: [createAccessPoint(1, { ssid: 'home_nomap' })] })]);
    expect(await storedNetworks()).toHaveLength(1);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
  });

  test('keeps its location when the watches of one family report it elsewhere, near or far', async () => {
    for (const family of families) await report(family, [createScan()]);
    const before = await storedNetworks();
    const attacker = otherFamilies[0]!;
    const sibling = await createBoundFamily(environment, replica, attacker.owner);
    for (let round = 0; round < 5; round += 1) {
      for (const family of [attacker, sibling]) await report(family, [createScan({ latitude: '45.48' })]);
    }
    const stored = await storedNetworks();
    expect(stored).toMatchObject(
      before.map(({ latitude, longitude, weight, scatter }) => ({ latitude, longitude, weight, scatter })),
    );
    expect(stored.map(({ learned, contradictions }) => [learned, contradictions.length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    for (let round = 0; round < 20; round += 1) {
      await report(otherFamilies[1]!, Array<object>(50).fill(createScan({ latitude: '45.385' })));
    }
    for (const { weight } of await storedNetworks()) expect(weight).toBeLessThan(6);
    expect(await locate([1, 2])).toBe('ok');
  });

  test('without support and observers, as an earlier version stored it, survives reports of one family', async () => {
    for (const family of families) await report(family, [createScan()]);
    await environment.query(`UPDATE userctx.radio_network SET support = 0, witnesses = '{}', witness_weights = '{}'`);
    for (let round = 0; round < 3; round += 1) await report(families[0], [createScan({ latitude: '45.48' })]);
    expect(await storedNetworks()).toMatchObject([
      { learned: true, support: 2 },
      { learned: true, support: 2 },
    ]);
  });

  test('is blocked on the day after three families observe it elsewhere, and confirmed again two days later', async () => {
    for (const family of families) await report(family, [createScan()]);
    const elsewhere = { latitude: '45.48', wifiAccessPoints: [createAccessPoint(1)] };
    const nextDay = NOW + DAY_MS;
    for (const family of otherFamilies)
      await report(family, [createScan({ ...elsewhere, positionTime: nextDay })], nextDay);
    expect(await locate([1, 2])).toBe('ok');
    const blockStart = NOW + 2 * DAY_MS;
    for (const family of families)
      await report(family, [createScan({ ...elsewhere, positionTime: blockStart })], blockStart);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    expect((await storedNetworks()).filter(({ learned }) => learned)).toHaveLength(1);
    const blockEnd = NOW + 4 * DAY_MS;
    for (const family of families)
      await report(family, [createScan({ ...elsewhere, positionTime: blockEnd })], blockEnd);
    expect((await storedNetworks()).map(({ learned }) => learned)).toEqual([true, true]);
  });

  test('keeps its location when three families observe it elsewhere and later three families at its location', async () => {
    for (const family of families) await report(family, [createScan()]);
    const thirdHonestFamily = await createBoundFamily(environment, replica);
    await setConsent(thirdHonestFamily.owner);
    const honestFamilies = [...families, thirdHonestFamily];
    const midnight = NOW + DAY_MS / 2;
    const elsewhere = createScan({ latitude: '45.48', positionTime: midnight });
    for (const family of otherFamilies) await report(family, [elsewhere], midnight);
    const noon = NOW + DAY_MS;
    for (const family of honestFamilies) await report(family, [createScan({ positionTime: noon })], noon);
    await report(families[0], [createScan({ positionTime: noon + DAY_MS })], noon + DAY_MS);
    expect((await storedNetworks()).map(({ learned }) => learned)).toEqual([true, true]);
    expect(await locate([1, 2])).toBe('ok');
  });

  const countAfter = async (days: number) => {
    await intake.deleteUnobserved(NOW + days * DAY_MS);
    return (await storedNetworks()).length;
  };

  test('that one family observes elsewhere on 14 days counts as moved, and is then deleted only after a year', async () => {
    const wifiAccessPoints = [createAccessPoint(1)];
    for (const family of families) await report(family, [createScan({ wifiAccessPoints })]);
    for (let day = 1; day <= 15; day += 1) {
      expect(await storedNetworks()).toMatchObject([
        { learned: true, moves: 0, contradicted_days: Math.max(0, day - 2) },
      ]);
      const positionTime = NOW + day * DAY_MS;
      const scan = createScan({ wifiAccessPoints, latitude: '45.48', positionTime });
      await report(otherFamilies[0]!, [scan], positionTime);
    }
    const blockedUntil = NOW + 17 * DAY_MS;
    expect(await storedNetworks()).toMatchObject([{ learned: false, moves: 1, blocked_until: blockedUntil }]);
    expect([await countAfter(15 + 365), await countAfter(15 + 366)]).toEqual([1, 0]);
  });

  test('is deleted after a year without observations, but after a month if it is unconfirmed', async () => {
    await report(families[0], [createScan({ wifiAccessPoints: [createAccessPoint(9)] })]);
    for (const family of families) await report(family, [createScan()]);
    expect([await countAfter(30), await countAfter(31), await countAfter(365), await countAfter(366)]).toEqual([
      3, 2, 2, 0,
    ]);
  });
});

describe('withdrawing a consent', () => {
  test('completes after reports that are being processed, and later reports store nothing', async () => {
    const [{ owner }] = families;
    for (let round = 0; round < 10; round += 1) {
      await setConsent(owner);
      await environment.query('DELETE FROM userctx.radio_network');
      const reports = Promise.all(Array.from({ length: 6 }, () => report(families[0], [createScan()])));
      await setConsent(owner, false);
      const rowsAtWithdrawal = await storedNetworks();
      const results = await reports;
      expect(await storedNetworks()).toEqual(rowsAtWithdrawal);
      const accepted = results.flat().filter((result) => result.accepted).length;
      expect(rowsAtWithdrawal.length).toBe(accepted > 0 ? 2 : 0);
    }
  });

  test('waits for the transaction that relies on the consent', async () => {
    const [{ owner, watch }] = families;
    const order: string[] = [];
    const relied = Promise.withResolvers<void>();
    const transaction = replica.get(UserctxUnitOfWork).run(async () => {
      expect(await replica.get(ConsentsService).isGranted(watch.principal, 'POSITIONING')).toBe(true);
      relied.resolve();
      await environment.waitForBlockedStatement();
      order.push('stored');
    });
    await relied.promise;
    await Promise.all([transaction, setConsent(owner, false).then(() => order.push('withdrawn'))]);
    expect(order).toEqual(['stored', 'withdrawn']);
  });
});
