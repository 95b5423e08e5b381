import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment, user } from '../support/gateway-test-environment.js';

/** These put the clock forward or stop the revocation feed for everybody, so each has a gateway of its own. */
let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeEach(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
});

afterEach(() => world.stop());

describe('lifetime of a session', () => {
  test('an unrenewed token is closed after a minute of grace, a renewed one lives on', async () => {
    const [lazy, diligent] = [user(), user()];
    const [unrenewed, renewed] = await Promise.all([world.connect(node, lazy), world.connect(node, diligent)]);
    world.clock.forward(590_000);
    expect(await renewed.send('token', { token: await world.tokenOf(diligent) })).toMatchObject({ ok: true });
    world.clock.forward(60_000);
    expect(await unrenewed.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
    world.clock.forward(15_000);
    expect(await unrenewed.waitForDisconnect()).toBe('io server disconnect');
    expect(await renewed.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
  });

  test('while the revocation feed is silent nobody is connected and nobody connects', async () => {
    const client = await world.connect(node, user());
    world.revocations.setFresh(false);
    expect(await client.waitForDisconnect()).toBe('transport close');
    const refusal = await world.open(node, { token: await world.tokenOf(user()) }).whenRefused();
    expect(refusal).toEqual({ code: 503002, reason: 'REVOCATIONS_STALE', retryAfter: 2 });
    world.revocations.setFresh(true);
    expect((await world.connect(node, user())).hello).toBeDefined();
  });
});
