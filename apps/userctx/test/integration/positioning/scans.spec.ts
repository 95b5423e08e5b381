import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { ConsentsService } from '../../../src/contexts/consents/consents.service.js';
import { LocatorService } from '../../../src/contexts/positioning/locator.service.js';
import { NetworkRetentionJob } from '../../../src/contexts/positioning/network-retention.job.js';
import { ScanIntakeService } from '../../../src/contexts/positioning/scan-intake.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 10, 12);

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let intake: ScanIntakeService;
let homes: [BoundFamilyFixture, BoundFamilyFixture];

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  replica = await world.replica();
  intake = replica.get(ScanIntakeService);
  homes = [await createBoundFamily(world, replica), await createBoundFamily(world, replica)];
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.query('delete from userctx.radio_network');
  await world.query('delete from userctx.witness_salt');
  for (const { owner } of homes) await agree(owner);
});

const agree = (owner: BoundFamilyFixture['owner'], granted = true) =>
  replica.get(ConsentsService).update(owner, { purpose: 'POSITIONING', granted });

const wifi = (serial: number, more: object = {}) => ({
  macAddress: `00:1b:21:00:00:${serial.toString(16).padStart(2, '0')}`,
  signalStrength: -60,
  ...more,
});

function scan(change: object = {}): object {
  const heard = { wifiAccessPoints: [wifi(1), wifi(2)], cellTowers: [] };
  return { latitude: '45.38', longitude: '14.14', radius: 10, positionTime: NOW, ...heard, ...change };
}

const report = (home: BoundFamilyFixture, scans: object[], now = NOW) =>
  intake.process(home.watch.principal, scans, now);
const rows = () =>
  world.query<{ learned: boolean; witnesses: string[]; weight: number; moves: number; heard_on: number }>(
    'select * from userctx.radio_network order by network_key',
  );
const locate = (serials: number[]) =>
  outcomeOf(() =>
    replica.get(LocatorService).locate(homes[0].watch.principal, {
      wifiAccessPoints: serials.map((serial) => wifi(serial)),
      cellTowers: [],
      address: '192.0.2.7',
    }),
  );

describe('a report of scans', () => {
  it('answers each: good ones teach, bad ones are named', async () => {
    const results = await report(homes[0], [
      scan(),
      scan({ latitude: 'north' }),
      scan({ radius: 500 }),
      scan({ positionTime: NOW + 10 * 60_000 }),
      scan({ positionTime: NOW - 8 * DAY }),
      scan({ wifiAccessPoints: [] }),
      scan({ wifiAccessPoints: [wifi(3, { ssid: 'x_nomap' }), { macAddress: '02:00:00:00:00:01' }] }),
      scan({ cellTowers: [{ radioType: 'lte' }] }),
      scan({ positionTime: NOW - 6 * DAY }),
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

  it('makes one network of the same address, however it is written', async () => {
    const written = [wifi(1), wifi(1, { macAddress: '001B21000001' }), wifi(1, { macAddress: '00-1b-21-00-00-01' })];
    await report(homes[0], [scan({ wifiAccessPoints: written }), scan({ wifiAccessPoints: written })]);
    expect(await rows()).toHaveLength(1);
  });

  it('loses nothing when many report the same street at once', async () => {
    const weightOf = async () => (await rows()).map(({ weight }) => weight.toFixed(6));
    for (let time = 0; time < 20; time += 1) await report(homes[time % 2]!, [scan()]);
    const expected = await weightOf();
    await world.query('delete from userctx.radio_network');
    const [ascending, descending] = [
      [wifi(1), wifi(2)],
      [wifi(2), wifi(1)],
    ];
    await Promise.all(
      Array.from({ length: 20 }, (_, time) =>
        report(homes[time % 2]!, [scan({ wifiAccessPoints: time % 3 ? ascending : descending })]),
      ),
    );
    expect(await weightOf()).toEqual(expected);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
  });
});

describe('who heard a network', () => {
  it('is a number that differs from network to network, and is gone once it is learned', async () => {
    await report(homes[0], [scan()]);
    const [one, other] = await rows();
    expect([one?.witnesses.length, other?.witnesses.length]).toEqual([1, 1]);
    expect(one?.witnesses).not.toEqual(other?.witnesses);
    await report(homes[0], [scan()]);
    expect((await rows()).map(({ learned }) => learned)).toEqual([false, false]);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    await report(homes[1], [scan()]);
    expect(await rows()).toMatchObject([
      { learned: true, witnesses: [] },
      { learned: true, witnesses: [] },
    ]);
    expect(await locate([1, 2])).toBe('ok');
  });

  it('may be the same watch on another day, which nobody can tell', async () => {
    await report(homes[0], [scan()]);
    await report(homes[0], [scan({ positionTime: NOW + DAY })], NOW + DAY);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
    const salts = await world.query<{ salt: Buffer }>('select salt from userctx.witness_salt');
    expect(new Set(salts.map(({ salt }) => salt.toString('hex'))).size).toBe(2);
  });

  it('cannot be worked out any longer when its day is over', async () => {
    await report(homes[0], [scan()]);
    await replica.get(NetworkRetentionJob).run(NOW);
    expect(await world.query('select 1 from userctx.witness_salt')).toHaveLength(1);
    await replica.get(NetworkRetentionJob).run(NOW + DAY);
    expect(await world.query('select 1 from userctx.witness_salt')).toEqual([]);
    expect(await rows()).toHaveLength(2);
  });
});

describe('a network is forgotten', () => {
  it('when its owner asks for it, whoever reports that', async () => {
    for (const home of homes) await report(home, [scan()]);
    await report(homes[1], [scan({ wifiAccessPoints: [wifi(1, { ssid: 'home_nomap' })] })]);
    expect(await rows()).toHaveLength(1);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
  });

  it('when it is heard elsewhere', async () => {
    for (const home of homes) await report(home, [scan()]);
    const elsewhere = { latitude: '45.48', wifiAccessPoints: [wifi(1)] };
    for (let time = 0; time < 3; time += 1) await report(homes[0], [scan(elsewhere)]);
    expect(await locate([1, 2])).toBe('POSITION_NOT_FOUND');
    for (const home of homes) await report(home, [scan(elsewhere)]);
    expect((await rows()).filter(({ learned }) => learned)).toHaveLength(1);
    const later = NOW + 3 * DAY;
    for (const home of homes) await report(home, [scan({ ...elsewhere, positionTime: later })], later);
    expect((await rows()).map(({ learned }) => learned)).toEqual([true, true]);
  });

  it('after a year of silence, and after a month unless it was learned', async () => {
    await report(homes[0], [scan({ wifiAccessPoints: [wifi(9)] })]);
    for (const home of homes) await report(home, [scan()]);
    const kept = async (days: number) => {
      await replica.get(NetworkRetentionJob).run(NOW + days * DAY);
      return (await rows()).length;
    };
    expect([await kept(30), await kept(31), await kept(365), await kept(366)]).toEqual([3, 2, 2, 0]);
  });
});

describe('a consent that is withdrawn', () => {
  it('holds when the answer comes: a report under way ends before it, later ones keep nothing', async () => {
    const [{ owner }] = homes;
    for (let round = 0; round < 10; round += 1) {
      await agree(owner);
      await world.query('delete from userctx.radio_network');
      const reports = Promise.all(Array.from({ length: 6 }, () => report(homes[0], [scan()])));
      await agree(owner, false);
      const then = await rows();
      const results = await reports;
      expect(await rows()).toEqual(then);
      const accepted = results.flat().filter((result) => result.accepted).length;
      expect(then.length).toBe(accepted > 0 ? 2 : 0);
    }
  });

  it('waits for the unit of work that relies on it', async () => {
    const [{ owner, watch }] = homes;
    const order: string[] = [];
    let [relied, withdraw] = [(): void => undefined, (): void => undefined];
    const reliedUpon = new Promise<void>((resolve) => (relied = resolve));
    const withdrawing = new Promise<void>((resolve) => (withdraw = resolve));
    const unit = replica.get(UserctxUnitOfWork).run(async () => {
      expect(await replica.get(ConsentsService).isGranted(watch.principal, 'POSITIONING')).toBe(true);
      relied();
      await withdrawing;
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('stored');
    });
    await reliedUpon;
    const withdrawal = agree(owner, false).then(() => order.push('withdrawn'));
    withdraw();
    await Promise.all([unit, withdrawal]);
    expect(order).toEqual(['stored', 'withdrawn']);
  });
});
