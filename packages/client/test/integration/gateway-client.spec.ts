import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { GatewayClient } from '../../src/socket/gateway-client.js';
import type { GatewayClientOptions } from '../../src/socket/gateway-client.js';
import { RefreshingTokenSource } from '../../src/tokens/refreshing-token-source.js';
import { ScriptedGateway } from '../support/scripted-gateway.js';

const MANY_SECONDS = 600;

/** Tokens `token 1`, `token 2`, … */
function countedTokens(expiresIn = MANY_SECONDS): RefreshingTokenSource {
  let count = 0;
  return new RefreshingTokenSource({
    issue: () => {
      count += 1;
      return Promise.resolve({ accessToken: `token ${count}`, expiresIn });
    },
  });
}

describe('GatewayClient', () => {
  let gateway: ScriptedGateway;
  let client: GatewayClient;
  let received: number[];

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    received = [];
  });

  afterEach(async () => {
    client.stop();
    await gateway.stop();
  });

  async function connect(options: Partial<GatewayClientOptions> = {}): Promise<GatewayClient> {
    client = new GatewayClient({ url: gateway.url, tokens: countedTokens(), ...options });
    client.onMessage('ContactsChangeNoticeMessage', ({ payload }) => received.push(payload.version));
    client.start();
    await client.whenConnected();
    return client;
  }

  it('says where it stands only when it knows', async () => {
    await connect();
    expect(gateway.handshakes).toEqual([{ token: 'token 1' }]);
    client.stop();
    await connect({ cursor: { last: 5, epoch: 1 } });
    expect(gateway.handshakes[1]).toEqual({ token: 'token 1', last: 5, epoch: 1 });
  });

  it('acknowledges what its callbacks have finished, cumulatively', async () => {
    let finish = (): void => undefined;
    await connect();
    client.onMessage('message', ({ seq }) =>
      seq === 2 ? new Promise<void>((resolve) => (finish = resolve)) : undefined,
    );
    gateway.sendRange(0, [1]);
    gateway.sendRange(1, [2, 3]);
    await waitUntil('message 2', () => received.includes(2));
    await waitUntil('its acknowledgement', () => gateway.saidOf('AckMessage').length === 1);
    expect(gateway.saidOf('AckMessage')).toEqual([{ seq: 1 }]);
    finish();
    await waitUntil('the second acknowledgement', () => gateway.saidOf('AckMessage').length === 2);
    expect(gateway.saidOf('AckMessage')[1]).toEqual({ seq: 3 });
  });

  it('comes back with the last number when frames are missing, and hands over none of what follows', async () => {
    await connect();
    const gaps: unknown[] = [];
    client.on('gap', (gap) => gaps.push(gap));
    gateway.sendRange(0, [1, 2]);
    gateway.sendRange(4, [5]);
    gateway.sendRange(5, [6]);
    await waitUntil('the second handshake', () => gateway.handshakes.length === 2);
    expect(gateway.handshakes[1]).toMatchObject({ last: 2, epoch: 1 });
    await client.whenConnected();
    gateway.sendRange(2, [3, 4, 5, 6]);
    await waitUntil('everything', () => received.length === 6);
    expect(received).toEqual([1, 2, 3, 4, 5, 6]);
    expect(gaps).toEqual([{ expected: 2, received: 4 }]);
  });

  it('goes on where it was when the network breaks, and repeats the acknowledgement that was lost', async () => {
    await connect({ responseTimeout: 10_000 });
    gateway.answer = (event) => (event === 'AckMessage' ? 'silence' : { ok: true, time: 0 });
    gateway.sendRange(0, [1, 2]);
    await waitUntil('the acknowledgement', () => gateway.saidOf('AckMessage').length === 1);
    gateway.answer = undefined;
    gateway.dropAll(false);
    await waitUntil('the second handshake', () => gateway.handshakes.length === 2);
    expect(gateway.handshakes[1]).toEqual({ token: 'token 1', last: 2, epoch: 1 });
    await waitUntil('the repetition', () => gateway.saidOf('AckMessage').length === 2);
    expect(gateway.saidOf('AckMessage')).toEqual([{ seq: 2 }, { seq: 2 }]);
  });

  it('renews its token in place', async () => {
    await connect({ tokens: countedTokens(1) });
    await waitUntil('the renewal', () => gateway.saidOf('token').length >= 2);
    expect(gateway.saidOf('token').slice(0, 2)).toEqual([{ token: 'token 2' }, { token: 'token 3' }]);
    expect(gateway.handshakes).toHaveLength(1);
  });

  it('gets a new token when the service ends the connection for good, or refuses the old one', async () => {
    gateway.refusedToken = 'token 1';
    await connect();
    expect(gateway.handshakes.map(({ token }) => token)).toEqual(['token 1', 'token 2']);
    gateway.dropAll(true);
    await waitUntil('the third handshake', () => gateway.handshakes.length === 3);
    expect(gateway.handshakes[2]?.token).toBe('token 3');
  });

  it('comes back when the service advises, and believes its last word', async () => {
    gateway.reconnect = { minDelay: 0, maxDelay: 0 };
    await connect();
    gateway.adviseAll({ minDelay: 400, maxDelay: 450 });
    await sleep(50);
    const ended = performance.now();
    gateway.dropAll(false);
    await waitUntil('the return', () => gateway.handshakes.length === 2);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(395);
  });

  it('stays away when new tokens are refused as well', async () => {
    const tokens = new RefreshingTokenSource({ issue: () => Promise.resolve({ accessToken: 'bad', expiresIn: 600 }) });
    gateway.refusedToken = 'bad';
    await expect(connect({ tokens })).rejects.toMatchObject({ status: 401, reason: 'TOKEN_INVALID' });
    await expect(client.whenConnected()).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(gateway.handshakes).toHaveLength(2);
  });

  it('throws a refusal, an answer that does not come, and a connection that is not there', async () => {
    await connect({ responseTimeout: 50 });
    const send = () => client.send('LocationPointChangeMessage', { points: [] });
    gateway.answer = () => ({ ok: false, code: 403007, reason: 'WATCH_UNBOUND', message: 'unbound' });
    await expect(send()).rejects.toMatchObject({ name: 'ApiError', status: 403, reason: 'WATCH_UNBOUND' });
    gateway.answer = () => 'silence';
    await expect(send()).rejects.toMatchObject({ name: 'NetworkError' });
    client.stop();
    await expect(send()).rejects.toMatchObject({ name: 'NetworkError' });
  });

  it('sends heartbeats in the interval that hello names', async () => {
    gateway.heartbeatInterval = 0.05;
    await connect({ heartbeat: () => ({ battery: 83 }) });
    await waitUntil('three heartbeats', () => gateway.saidOf('HeartbeatMessage').length >= 3);
    expect(gateway.saidOf('HeartbeatMessage')[2]).toEqual({ battery: 83 });
  });

  it('tells of a callback that fails, and goes on with the next message', async () => {
    await connect();
    const problems: unknown[] = [];
    client.on('error', (problem) => problems.push(problem));
    client.onMessage('message', ({ seq }) => {
      if (seq === 1) throw new Error('a bug of the app');
    });
    gateway.sendRange(0, [1, 2]);
    await waitUntil('the acknowledgement', () => gateway.saidOf('AckMessage').length === 1);
    expect(received).toEqual([1, 2]);
    expect(problems).toEqual([new Error('a bug of the app')]);
  });
});
