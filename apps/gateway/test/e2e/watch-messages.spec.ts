import { describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { PresenceService } from '../../src/connections/presence/presence.service.js';
import { user } from '../support/gateway-test-environment.js';
import { createLocation, waitForDurable } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, query, serviceOf, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

describe('events of watches', () => {
  test("locations are stored before the response, which reports each point's result", async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.watchPrincipal);
    const forged = { ...createLocation('31.2304'), did: 1, note: 'x' };
    const response = await client.send('LocationPointChangeMessage', {
      did: 1,
      points: [forged, { ...createLocation('91'), radius: -1 }, 'x', createLocation('31.2305')],
    });
    expect(response).toMatchObject({
      ok: true,
      id: expect.any(String),
      points: [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'INVALID_LATITUDE' },
        { index: 2, accepted: false, flags: [], reason: 'NOT_AN_OBJECT' },
        { index: 3, accepted: true, flags: [], reason: null },
      ],
    });
    const reported = await node.outboxPayloadsOf<{ did: number; points: Location[] }>('gateway.location.reported');
    expect(reported.filter(({ did }) => did === fixture.did)).toEqual([
      {
        did: fixture.did,
        points: [createLocation('31.2304'), createLocation('31.2305')],
        receivedAt: expect.any(Number),
      },
    ]);
    expect(await client.send('LocationPointChangeMessage', { points: [] })).toMatchObject({ ok: false });
    const many = { points: Array.from({ length: 101 }, () => createLocation('1.0')) };
    expect(await client.send('LocationPointChangeMessage', many)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });

  test('startup and shutdown reports reach the guardians once, with the watch as sender', async () => {
    const fixture = await createFamily();
    const [watchClient, owner, guardian] = await Promise.all([
      connect(fixture.watchPrincipal),
      connect(fixture.owner, otherNode),
      connect(fixture.guardian),
    ]);
    const time = environment.clock.now() - 1_000;
    const started = { time, cause: 'BATTERY', did: 1, cid: 'x', from: { type: 'system' } };
    const first = await watchClient.send('WristwatchStartupNoticeMessage', started);
    const repeated = await watchClient.send('WristwatchStartupNoticeMessage', started);
    const future = { time: time + 3_600_000, cause: 'USER' };
    await watchClient.send('WristwatchShutdownNoticeMessage', future);
    expect(first).toMatchObject({ ok: true });
    expect(repeated).toMatchObject({ ok: true, id: 'id' in first ? first.id : '' });
    for (const client of [owner, guardian]) {
      await waitForDurable(client, 2);
      expect(client.durable).toMatchObject([
        {
          kind: 'WristwatchStartupNoticeMessage',
          id: 'id' in first ? first.id : '',
          from: { type: 'watch', id: fixture.watchPrincipal.id },
          did: fixture.did,
          cid: fixture.cid,
          payload: { did: fixture.did, time, cause: 'BATTERY' },
        },
        { kind: 'WristwatchShutdownNoticeMessage', payload: { did: fixture.did, cause: 'USER' } },
      ]);
      expect((client.durable[1]!.payload as { time: number }).time).toBeLessThan(future.time);
    }
    const lost = { cause: 'LOST_CONNECTION' };
    expect(await watchClient.send('WristwatchShutdownNoticeMessage', lost)).toMatchObject({
      reason: 'VALIDATION_FAILED',
    });
  });

  test('startup and shutdown reports with a time in seconds are rejected with the reason', async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.watchPrincipal);
    const time = Math.floor(environment.clock.now() / 1_000);
    for (const kind of ['WristwatchStartupNoticeMessage', 'WristwatchShutdownNoticeMessage'] as const) {
      expect(await client.send(kind, { time, cause: 'USER' })).toMatchObject({
        ok: false,
        reason: 'VALIDATION_FAILED',
        details: [
          { field: 'time', rule: 'isWatchTime', message: expect.stringContaining('milliseconds, not seconds') },
        ],
      });
    }
  });

  test('heartbeats publish one status event per change', async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.watchPrincipal);
    for (const signal of [1, 2, 3]) await client.send('HeartbeatMessage', { battery: 80, signal });
    await client.send('HeartbeatMessage', { battery: 79, signal: 3 });
    const batteries = async () => {
      const published = await node.outboxPayloadsOf<{ did: number; battery: number }>('gateway.watch.status-reported');
      return published.filter(({ did }) => did === fixture.did).map(({ battery }) => battery);
    };
    await waitUntil('the event of the last heartbeat', async () => (await batteries()).includes(79));
    expect(await batteries()).toEqual([80, 79]);
  });

  test.each<[string, unknown, object, [string, string][]]>([
    ['battery 255', { battery: 255, stepTotal: 5 }, { battery: null, stepTotal: 5 }, [['battery', 'max']]],
    ['battery −1', { battery: -1, stepTotal: 5 }, { battery: null, stepTotal: 5 }, [['battery', 'min']]],
    ['battery 55.5', { battery: 55.5, worn: true }, { battery: null, worn: true }, [['battery', 'isInt']]],
    ['signal −113', { battery: 50, signal: -113 }, { battery: 50, signal: null }, [['signal', 'min']]],
    ['an empty version', { battery: 50, firmwareVersion: '' }, { battery: 50 }, [['firmwareVersion', 'minLength']]],
    [
      'two invalid fields',
      { battery: [], worn: 'yes', charging: true },
      { battery: null, worn: null, charging: true },
      [
        ['battery', 'isInt'],
        ['worn', 'isBoolean'],
      ],
    ],
    ['no object', 'alive', { battery: null }, [['', 'isObject']]],
  ])('heartbeats with %s count, and only what is valid is published', async (_, payload, published, violations) => {
    const fixture = await createFamily();
    const client = await connect(fixture.watchPrincipal);
    const presence = jest.spyOn(serviceOf(PresenceService), 'recordHeartbeat');
    const response = await client.send('HeartbeatMessage', payload);
    const isAlive = presence.mock.calls.some(([principal]) => principal === `watch:${fixture.did}`);
    presence.mockRestore();
    expect([response.ok, isAlive]).toEqual([true, true]);
    for (const [field, rule] of violations)
      expect(response).toMatchObject({
        rejected: expect.arrayContaining([{ field, rule, message: expect.any(String) }]),
      });
    const statuses = () => node.outboxPayloadsOf<{ did: number }>('gateway.watch.status-reported');
    await waitUntilFound('the event of the heartbeat', async () =>
      (await statuses()).find(({ did }) => did === fixture.did),
    );
    expect((await statuses()).filter(({ did }) => did === fixture.did)).toMatchObject([published]);
  });
});

describe('latest locations', () => {
  test('reach guardians with the LOCATION permission, without a sequence number', async () => {
    const fixture = await createFamily();
    await fixture.changeGuardian({ childPermissions: { [fixture.cid]: [] } });
    const [permitted, notPermitted] = await Promise.all([connect(fixture.owner, otherNode), connect(fixture.guardian)]);
    await fixture.publishLocationChange(createLocation('31.1'));
    await permitted.waitFor(() => permitted.messages.length > 0, 'a location');
    expect(permitted.messages).toEqual([
      {
        id: expect.any(String),
        kind: 'LocationPointChangeMessage',
        time: expect.any(Number),
        from: { type: 'system', id: '' },
        did: fixture.did,
        cid: fixture.cid,
        payload: { did: fixture.did, cid: fixture.cid, location: createLocation('31.1') },
      },
    ]);
    expect(permitted.problems).toEqual([]);
    await sleep(100);
    expect(notPermitted.messages).toEqual([]);
  });

  test('are sent when a guardian connects', async () => {
    const fixture = await createFamily();
    await fixture.publishLocationChange(createLocation('31.1'));
    await fixture.publishLocationChange(createLocation('31.2'));
    const client = await connect(fixture.guardian);
    await client.waitFor(() => client.messages.length > 0, 'the newest location');
    expect(client.messages).toMatchObject([{ payload: { location: { latitude: '31.2' } } }]);
    const stranger = await connect(user());
    await sleep(100);
    expect(stranger.messages).toEqual([]);
  });

  test('are deleted when the child leaves the family', async () => {
    const fixture = await createFamily();
    await fixture.publishLocationChange(createLocation('31.1'));
    await fixture.change({ children: [] });
    const rows = await query('SELECT FROM gateway.child_position WHERE cid = $1', [fixture.cid]);
    expect(rows).toEqual([]);
  });
});
