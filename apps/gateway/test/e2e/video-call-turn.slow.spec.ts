import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { IceServerDto } from '@family-watch/domain/messages/dto/video-call.dto';
import { startRingingCall } from '../support/call-parties.js';
import { TurnServer } from '../support/turn-server.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { environment, startGateway } from '../support/suite-gateway.js';

const SECRET = 'the secret that coturn shares with the service';
const MINUTE_MS = 60_000;

needs('turnserver').describe('TURN credentials of calls', () => {
  let turn: TurnServer;
  const turnUrl = () => `turn:127.0.0.1:${turn.port}?transport=udp`;

  beforeAll(async () => {
    turn = await TurnServer.start(SECRET);
  });
  afterAll(() => turn.stop());
  startGateway(() => ({ TURN_URLS: turnUrl(), TURN_SECRET: SECRET }), 1);

  const credentialsOf = (iceServers: IceServerDto[] = []) => {
    const { urls, username = '', credential = '' } = iceServers[0] ?? {};
    expect(urls).toEqual([turnUrl()]);
    return { username, credential };
  };

  test('let both parties use the relay, unless the credentials are forged or swapped', async () => {
    const { fixture, watchDevice, call } = await startRingingCall();
    const accepted = await watchDevice.accept(call.callId);
    const [ownerCredentials, watchCredentials] = [
      credentialsOf(call.join?.iceServers),
      credentialsOf(accepted.join?.iceServers),
    ];
    expect(ownerCredentials.username).toMatch(new RegExp(`^\\d{10}:user:${fixture.owner.id}$`));
    expect(watchCredentials.username).toMatch(new RegExp(`^\\d{10}:watch:${fixture.did}$`));
    expect(await turn.canRelay(ownerCredentials.username, ownerCredentials.credential)).toBe(true);
    expect(await turn.canRelay(watchCredentials.username, watchCredentials.credential)).toBe(true);
    expect(await turn.canRelay(ownerCredentials.username, watchCredentials.credential)).toBe(false);
    expect(await turn.canRelay(ownerCredentials.username, 'a guess')).toBe(false);
    const [expiry = '', ...rest] = ownerCredentials.username.split(':');
    const extendedUsername = [String(Number(expiry) + 3_600), ...rest].join(':');
    expect(await turn.canRelay(extendedUsername, ownerCredentials.credential)).toBe(false);
  });

  test('are rejected by the relay after their expiry', async () => {
    // The clock is two minutes slow, so that the service issues genuine credentials that have already expired.
    environment.clock.forward(-2 * MINUTE_MS);
    const { call } = await startRingingCall();
    environment.clock.forward(2 * MINUTE_MS);
    const { username, credential } = credentialsOf(call.join?.iceServers);
    expect(Number(username.split(':')[0])).toBeLessThan(Date.now() / 1_000);
    expect(await turn.canRelay(username, credential)).toBe(false);
  });
});
