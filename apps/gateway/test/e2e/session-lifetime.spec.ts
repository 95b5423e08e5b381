import { beforeAll, describe, expect, test } from '@jest/globals';
import { user } from '../support/gateway-test-environment.js';
import { connect } from '../support/clients.js';
import { environment, node, startGateway } from '../support/suite-gateway.js';

// These tests advance the clock and stop the revocation feed for all clients.
startGateway({}, 1);
beforeAll(() => environment.clock.stop());

describe('session lifetime', () => {
  test('closes a connection one minute after its token expired, unless the token was refreshed', async () => {
    const [idleUser, refreshingUser] = [user(), user()];
    const [expiring, refreshed] = await Promise.all([connect(idleUser), connect(refreshingUser)]);
    environment.clock.forward(590_000);
    expect(await refreshed.send('token', { token: await environment.tokenOf(refreshingUser) })).toMatchObject({
      ok: true,
    });
    environment.clock.forward(60_000);
    expect(await expiring.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
    environment.clock.forward(15_000);
    expect(await expiring.waitForDisconnect()).toBe('io server disconnect');
    expect(await refreshed.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
  });

  test('closes all connections and rejects new ones while the revocation feed is stale', async () => {
    const client = await connect(user());
    environment.revocations.setFresh(false);
    expect(await client.waitForDisconnect()).toBe('transport close');
    const rejection = await environment
      .openClient(node, { token: await environment.tokenOf(user()) })
      .waitForRejection();
    expect(rejection).toEqual({ code: 503002, reason: 'REVOCATIONS_STALE', retryAfter: 2 });
    environment.revocations.setFresh(true);
    expect((await connect(user())).hello).toBeDefined();
  });
});
