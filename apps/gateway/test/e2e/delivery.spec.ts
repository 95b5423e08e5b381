import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, familyOf, GatewayWorld, nextVersion, user, watch } from '../support/gateway-world.js';
import type { TestClient } from '../support/test-client.js';

let world: GatewayWorld;
/** Two processes on one database: everything below must not depend on which one a client is connected to. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayWorld.start();
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

interface Household {
  owner: Principal;
  guardian: Principal;
  wearer: Principal;
  family: FamilySnapshot;
  cid: string;
  did: number;
}

async function household(): Promise<Household> {
  const [owner, guardian, wearer] = [user(), user(), watch()];
  const family = familyOf(owner, [guardian], wearer);
  await world.familyChanged(family);
  return { owner, guardian, wearer, family, cid: family.children[0]?.cid ?? '', did: Number(wearer.id) };
}

function contactChanged({ family, cid, did }: Household, version: number, id?: string): Promise<void> {
  const payload = {
    familyId: family.familyId,
    cid,
    did,
    refId: 'r1',
    change: 'UPDATED',
    version,
    by: 'user:x',
  } as const;
  return world.publish({ name: 'userctx.contact.changed', key: family.familyId, payload }, id);
}

const place = (latitude: string, positionTime = 1_790_000_000_000): Location => ({
  latitude,
  longitude: '121.4737',
  positionTime,
  radius: 20,
  pointType: 1,
});

function locationChanged({ family, cid, did }: Household, location: Location): Promise<void> {
  const payload = { familyId: family.familyId, cid, did, location };
  return world.publish({ name: 'userctx.location.changed', key: family.familyId, payload });
}

const versions = (client: TestClient) => client.durable.map(({ payload }) => (payload as { version: number }).version);

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function untilVersions(client: TestClient, count: number): Promise<void> {
  await client.until(() => client.durable.length >= count, `${count} messages`);
}

describe('durable messages', () => {
  test('reach watch and guardians live, on whichever node', async () => {
    const home = await household();
    const clients = await Promise.all([
      world.connect(node, home.owner),
      world.connect(otherNode, home.guardian),
      world.connect(otherNode, home.wearer),
    ]);
    await contactChanged(home, 1);
    for (const client of clients) {
      await untilVersions(client, 1);
      expect(client.durable[0]).toEqual({
        id: expect.any(String),
        kind: 'ContactsChangeNoticeMessage',
        seq: 1,
        time: expect.any(Number),
        from: { type: 'system', id: '' },
        did: home.did,
        cid: home.cid,
        payload: { did: home.did, version: 1, change: 'UPDATED', refId: 'r1' },
      });
      expect(client.problems).toEqual([]);
    }
  });

  test('an event that comes twice is delivered once', async () => {
    const home = await household();
    const client = await world.connect(node, home.owner);
    const id = randomUUID();
    await contactChanged(home, 1, id);
    await contactChanged(home, 1, id);
    await contactChanged(home, 2);
    await untilVersions(client, 2);
    expect(versions(client)).toEqual([1, 2]);
  });

  test('replay and live traffic join without gap or duplicate while messages keep coming', async () => {
    const home = await household();
    const before = await world.connect(node, home.owner);
    const total = 300;
    const sending = (async () => {
      for (const version of numbersTo(total)) await contactChanged(home, version);
    })();
    await untilVersions(before, 20);
    const clients = await Promise.all(
      numbersTo(5).map((last) => world.connect(last % 2 ? node : otherNode, anotherSession(home.owner), { last })),
    );
    await sending;
    for (const [index, client] of clients.entries()) {
      await untilVersions(client, total - index - 1);
      expect(versions(client)).toEqual(numbersTo(total).slice(index + 1));
      expect(client.frames[0]?.after).toBe(index + 1);
      expect(client.problems).toEqual([]);
    }
    expect(versions(before)).toEqual(numbersTo(total));
  });

  test('a client whose connection breaks goes on where it was', async () => {
    const home = await household();
    const first = await world.connect(node, home.guardian);
    await contactChanged(home, 1);
    await untilVersions(first, 1);
    first.socket.io.engine.close();
    for (const version of [2, 3]) await contactChanged(home, version);
    const again = await world.connect(otherNode, home.guardian, { last: 1, epoch: first.hello?.epoch });
    await untilVersions(again, 2);
    expect(versions(again)).toEqual([2, 3]);
    expect(again.hello).toMatchObject({ head: 3 });
    expect(again.hello).not.toHaveProperty('reset');
  });

  test('a new session starts at the head, a known one after what it acknowledged', async () => {
    const home = await household();
    const phone = await world.connect(node, home.owner);
    for (const version of [1, 2, 3]) await contactChanged(home, version);
    await untilVersions(phone, 3);
    expect(await phone.send('AckMessage', { seq: 2 })).toMatchObject({ ok: true });
    expect(await phone.send('AckMessage', { seq: 1 })).toMatchObject({ ok: true });
    expect(await phone.send('AckMessage', { seq: 4 })).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
    phone.close();
    const [samePhone, newPhone] = await Promise.all([
      world.connect(otherNode, home.owner),
      world.connect(otherNode, anotherSession(home.owner)),
    ]);
    await untilVersions(samePhone, 1);
    expect(versions(samePhone)).toEqual([3]);
    expect(newPhone.hello?.head).toBe(3);
    await contactChanged(home, 4);
    await untilVersions(newPhone, 1);
    expect(versions(newPhone)).toEqual([4]);
  });

  test('a watch goes on where it was, with another token', async () => {
    const home = await household();
    const before = await world.connect(node, home.wearer);
    before.close();
    await contactChanged(home, 1);
    const after = await world.connect(node, anotherSession(home.wearer));
    await untilVersions(after, 1);
    expect(versions(after)).toEqual([1]);
  });

  test('two phones and a second guardian each get everything, whoever acknowledges first', async () => {
    const home = await household();
    const secondPhone = anotherSession(home.owner);
    for (const each of [home.owner, secondPhone, home.guardian]) (await world.connect(node, each)).close();
    for (const version of [1, 2]) await contactChanged(home, version);
    const quick = await world.connect(node, home.owner);
    await untilVersions(quick, 2);
    await quick.send('AckMessage', { seq: 2 });
    for (const each of [secondPhone, home.guardian]) {
      const client = await world.connect(otherNode, each);
      await untilVersions(client, 2);
      expect(versions(client)).toEqual([1, 2]);
    }
  });

  test.each([
    ['beyond the head', { last: 99 }],
    ['of another epoch', { last: 1, epoch: 1 }],
  ])('a last %s starts at the oldest kept and says so', async (_, position) => {
    const home = await household();
    for (const version of [1, 2]) await contactChanged(home, version);
    const client = await world.connect(node, home.owner, position);
    expect(client.hello?.reset).toBe(true);
    await untilVersions(client, 2);
    expect(client.frames[0]).toMatchObject({ after: 0, through: 2 });
  });

  test('a message is acknowledged by itself, and only by who received it', async () => {
    const home = await household();
    const [wearer, stranger] = await Promise.all([world.connect(node, home.wearer), world.connect(node, user())]);
    await contactChanged(home, 1);
    await untilVersions(wearer, 1);
    const said = { messageId: wearer.durable[0]?.id, status: 'APPLIED', version: 1 };
    expect(await wearer.send('AckMessage', said)).toMatchObject({ ok: true });
    expect(await node.outboxOf('gateway.message.acknowledged')).toContainEqual(
      expect.objectContaining({ by: `watch:${home.did}`, messageId: said.messageId, status: 'APPLIED', version: 1 }),
    );
    const foreign = await stranger.send('AckMessage', said);
    expect(foreign).toMatchObject({ ok: false, reason: 'MESSAGE_NOT_FOUND' });
    for (const messageId of [randomUUID(), 'no-uuid']) {
      expect(await stranger.send('AckMessage', { ...said, messageId })).toEqual(foreign);
    }
    expect(await wearer.send('AckMessage', {})).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await wearer.send('AckMessage', { seq: 1, messageId: 'x' })).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });
});

describe('belonging', () => {
  test('a removed member gets nothing more: not what is queued, and not what comes', async () => {
    const home = await household();
    const [connected, offline] = [home.guardian, anotherSession(home.guardian)];
    (await world.connect(node, offline)).close();
    const client = await world.connect(otherNode, connected);
    const owner = await world.connect(node, home.owner);
    await contactChanged(home, 1);
    await untilVersions(client, 1);
    const members = home.family.members.filter(({ userId }) => userId !== home.guardian.id);
    await world.familyChanged(nextVersion(home.family, { members }));
    await contactChanged(home, 2);
    await locationChanged(home, place('31.5'));
    await untilVersions(owner, 2);
    const returned = await world.connect(node, offline);
    await sleep(300);
    expect(versions(client)).toEqual([1]);
    expect(client.ofKind('LocationPointChangeMessage')).toEqual([]);
    expect(returned.messages).toEqual([]);
    expect(returned.hello?.head).toBe(1);
  });

  test('an older snapshot does not bring a removed member back', async () => {
    const home = await household();
    const members = home.family.members.slice(0, 1);
    await world.familyChanged({ ...home.family, members, version: 3 });
    await world.familyChanged({ ...home.family, version: 2 });
    const client = await world.connect(node, home.guardian, { last: 0 });
    await contactChanged(home, 1);
    await sleep(200);
    expect(client.messages).toEqual([]);
  });

  test('an unbound watch gets its own notice and nothing of the family, queued messages included', async () => {
    const home = await household();
    (await world.connect(node, home.wearer)).close();
    await contactChanged(home, 1);
    const { familyId } = home.family;
    const fact = { familyId, cid: home.cid, did: home.did, by: 'user:x', time: world.clock.now() } as const;
    await world.publish({ name: 'userctx.watch.unbound', key: familyId, payload: fact });
    await world.familyChanged(nextVersion(home.family, { children: [{ cid: home.cid, did: null }] }));
    const [wearer, owner] = await Promise.all([
      world.connect(node, anotherSession(home.wearer)),
      world.connect(node, home.owner, { last: 0 }),
    ]);
    await wearer.until(() => wearer.durable.length > 0, 'the notice');
    await untilVersions(owner, 2);
    expect(wearer.durable.map(({ kind, seq }) => ({ kind, seq }))).toEqual([
      { kind: 'DeviceBindStateChangeNoticeMessage', seq: 2 },
    ]);
    expect(wearer.durable[0]?.payload).toEqual({ did: home.did, cid: home.cid, state: 'UNBOUND', by: 'user:x' });
    expect(wearer.frames[0]).toMatchObject({ after: 0, through: 2 });
    expect(owner.ofKind('DeviceBindStateChangeNoticeMessage')).toHaveLength(1);
    const report = await wearer.send('LocationPointChangeMessage', { points: [place('1.0')] });
    expect(report).toMatchObject({ ok: false, reason: 'WATCH_UNBOUND' });
  });

  test('a watch that is bound while it is connected may speak at once', async () => {
    const [owner, wearer] = [user(), watch()];
    const client = await world.connect(otherNode, wearer);
    const family = familyOf(owner, [], wearer);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: false });
    await world.familyChanged(family);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
  });

  test('a notice of a family that was not heard of yet waits for it', async () => {
    const owner = user();
    const wearer = watch();
    const family = familyOf(owner, [], wearer);
    const home = { owner, wearer, guardian: owner, family, cid: family.children[0]?.cid ?? '', did: Number(wearer.id) };
    const client = await world.connect(node, owner);
    await contactChanged(home, 1);
    await world.familyChanged(family);
    await untilVersions(client, 1);
  });
});

describe('what watches send', () => {
  test('positions are answered point by point and are on disk when they are', async () => {
    const home = await household();
    const client = await world.connect(node, home.wearer);
    const forged = { ...place('31.2304'), did: 1, note: 'x' };
    const answer = await client.send('LocationPointChangeMessage', {
      did: 1,
      points: [forged, { ...place('91'), radius: -1 }, 'x', place('31.2305')],
    });
    expect(answer).toMatchObject({
      ok: true,
      id: expect.any(String),
      points: [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'INVALID_LATITUDE' },
        { index: 2, accepted: false, flags: [], reason: 'NOT_AN_OBJECT' },
        { index: 3, accepted: true, flags: [], reason: null },
      ],
    });
    const reported = await node.outboxOf<{ did: number; points: Location[] }>('gateway.location.reported');
    expect(reported.filter(({ did }) => did === home.did)).toEqual([
      { did: home.did, points: [place('31.2304'), place('31.2305')], receivedAt: expect.any(Number) },
    ]);
    expect(await client.send('LocationPointChangeMessage', { points: [] })).toMatchObject({ ok: false });
    const many = { points: Array.from({ length: 101 }, () => place('1.0')) };
    expect(await client.send('LocationPointChangeMessage', many)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });

  test('guardians hear of start and shutdown, once, in the name of the watch', async () => {
    const home = await household();
    const [wearer, owner, guardian] = await Promise.all([
      world.connect(node, home.wearer),
      world.connect(otherNode, home.owner),
      world.connect(node, home.guardian),
    ]);
    const time = world.clock.now() - 1_000;
    const started = { time, cause: 'BATTERY', did: 1, cid: 'x', from: { type: 'system' } };
    const first = await wearer.send('WristwatchStartupNoticeMessage', started);
    const repeated = await wearer.send('WristwatchStartupNoticeMessage', started);
    const future = { time: time + 3_600_000, cause: 'USER' };
    await wearer.send('WristwatchShutdownNoticeMessage', future);
    expect(first).toMatchObject({ ok: true });
    expect(repeated).toMatchObject({ ok: true, id: 'id' in first ? first.id : '' });
    for (const client of [owner, guardian]) {
      await untilVersions(client, 2);
      expect(client.durable).toMatchObject([
        {
          kind: 'WristwatchStartupNoticeMessage',
          id: 'id' in first ? first.id : '',
          from: { type: 'watch', id: home.wearer.id },
          did: home.did,
          cid: home.cid,
          payload: { did: home.did, time, cause: 'BATTERY' },
        },
        { kind: 'WristwatchShutdownNoticeMessage', payload: { did: home.did, cause: 'USER' } },
      ]);
      expect((client.durable[1]?.payload as { time: number }).time).toBeLessThan(future.time);
    }
    const lost = { cause: 'LOST_CONNECTION' };
    expect(await wearer.send('WristwatchShutdownNoticeMessage', lost)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });

  test('heartbeats become one status event per real change', async () => {
    const home = await household();
    const client = await world.connect(node, home.wearer);
    for (const signal of [1, 2, 3]) await client.send('HeartbeatMessage', { battery: 80, signal });
    await client.send('HeartbeatMessage', { battery: 79, signal: 3 });
    await sleep(100);
    const told = await node.outboxOf<{ did: number; battery: number }>('gateway.watch.status-reported');
    expect(told.filter(({ did }) => did === home.did).map(({ battery }) => battery)).toEqual([80, 79]);
  });
});

describe('positions', () => {
  test('reach guardians who may see them, without a number', async () => {
    const home = await household();
    const [owner, guardian] = home.family.members as [FamilySnapshot['members'][0], FamilySnapshot['members'][0]];
    const blind = { ...guardian, childPermissions: { [home.cid]: [] } };
    await world.familyChanged(nextVersion(home.family, { members: [owner, blind] }));
    const [seeing, unseeing] = await Promise.all([
      world.connect(otherNode, home.owner),
      world.connect(node, home.guardian),
    ]);
    await locationChanged(home, place('31.1'));
    await seeing.until(() => seeing.messages.length > 0, 'a position');
    expect(seeing.messages).toEqual([
      {
        id: expect.any(String),
        kind: 'LocationPointChangeMessage',
        time: expect.any(Number),
        from: { type: 'system', id: '' },
        did: home.did,
        cid: home.cid,
        payload: { did: home.did, cid: home.cid, location: place('31.1') },
      },
    ]);
    expect(seeing.problems).toEqual([]);
    await sleep(100);
    expect(unseeing.messages).toEqual([]);
  });

  test('the newest one is there on connecting', async () => {
    const home = await household();
    await locationChanged(home, place('31.1'));
    await locationChanged(home, place('31.2'));
    const client = await world.connect(node, home.guardian);
    await client.until(() => client.messages.length > 0, 'the newest position');
    expect(client.messages).toMatchObject([{ payload: { location: { latitude: '31.2' } } }]);
    const stranger = await world.connect(node, user());
    await sleep(100);
    expect(stranger.messages).toEqual([]);
  });

  test('nothing is left of a child that has left the family', async () => {
    const home = await household();
    await locationChanged(home, place('31.1'));
    await world.familyChanged(nextVersion(home.family, { children: [] }));
    const rows = await node.unitOfWork.executor.query('SELECT FROM gateway.child_position WHERE cid = $1', [home.cid]);
    expect(rows).toEqual([]);
  });
});
