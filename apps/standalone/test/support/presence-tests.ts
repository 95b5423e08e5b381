import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from './family-fixture.js';
import type { TestService } from './test-service.js';

interface Device {
  online: boolean | null;
  lastSeen: number | null;
  battery: number | null;
}

/** Declares tests of the presence of a watch. The service must have HEARTBEAT_INTERVAL=1. */
export function declarePresenceTests(getService: () => TestService): void {
  let fixture: FamilyFixture;

  beforeAll(async () => {
    fixture = await FamilyFixture.create(getService());
  });

  afterAll(() => fixture.disconnectAll());

  function waitUntilShown(online: boolean | null): Promise<Device> {
    let responseText = '';
    const look = async () => {
      const { body, text } = await fixture.guardian.get<Device>('device/get', { did: fixture.watch.did });
      responseText = text;
      return body.online === online ? body : undefined;
    };
    return waitUntilFound(() => `online: ${online} of device/get, which returns ${responseText}`, look);
  }

  test('a watch is shown online, then offline, and its guardians receive one notice of the lost connection', async () => {
    expect(await waitUntilShown(null)).toMatchObject({ battery: null, lastSeen: null });
    const owner = await fixture.owner.connect();
    const connectedAt = Date.now();
    const watch = await fixture.watch.connect();
    expect((await waitUntilShown(true)).battery).toBeNull();
    expect(await watch.send('HeartbeatMessage', { battery: 64 })).toMatchObject({ ok: true });
    watch.close();
    const { lastSeen, battery } = await waitUntilShown(false);
    expect(battery).toBe(64);
    expect(lastSeen).toBeGreaterThanOrEqual(connectedAt);
    expect(lastSeen).toBeLessThanOrEqual(Date.now());
    await owner.waitFor(() => owner.messagesOfKind('WristwatchShutdownNoticeMessage').length > 0, 'the notice');
    await sleep(2_500);
    expect(owner.messagesOfKind('WristwatchShutdownNoticeMessage').map(({ payload }) => payload)).toEqual([
      { did: fixture.watch.did, time: expect.any(Number), cause: 'LOST_CONNECTION' },
    ]);
    const { body } = await fixture.owner.get<{ items: Device[] }>('device/list');
    expect(body.items).toMatchObject([{ online: false, lastSeen, battery: 64 }]);
  });
}
