import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { TestService } from '../support/test-service.js';
import { describeDistributed, type Deployment } from '../support/deployments.js';

interface Device {
  online: boolean | null;
  lastSeen: number | null;
  battery: number | null;
}

/** Declares the presence tests for a separate service with a short heartbeat interval. */
function declareTestsOfDeployment(deployment: Deployment): void {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.start(deployment, { HEARTBEAT_INTERVAL: 1 });
    fixture = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    fixture.disconnectAll();
    await service.stop();
  });

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

describe('presence of a watch', () => declareTestsOfDeployment('standalone'));
// Unless the long run is enabled, only apps/gateway/test/e2e/presence.spec.ts tests presence on several nodes.
if (isLongRun()) describeDistributed('presence of a watch', declareTestsOfDeployment);
