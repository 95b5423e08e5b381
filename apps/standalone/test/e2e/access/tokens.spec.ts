import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { addressesOf } from '../../support/access/caller.js';
import { ABSENT, forgedTokens } from '../../support/access/forged-tokens.js';
import { declaredOperations } from '../../support/declared-operations.js';
import { expectRefusal } from '../../support/envelopes.js';
import { HttpClient } from '../../support/http-client.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { describeBothDeployments } from '../../support/deployments.js';

const CHILDREN = '/apis/v2/userctx/user/child/get';

/** Safety table A3: tokens are verified everywhere, before anything else of the request matters. */
describeBothDeployments('tokens that open nothing', (way) => {
  let service: TestService;
  let parent: Parent;
  let closed: DeclaredRoute[];
  let revoked: string;
  let forged: [string, string][];

  beforeAll(async () => {
    service = await TestService.shared(way);
    parent = await Parent.signUp(service);
    closed = (await declaredOperations()).filter(({ access }) => access !== 'public');
    const phone = await parent.secondPhone();
    await phone.post('account/sign-out', {});
    revoked = phone.tokens.accessToken;
    forged = await forgedTokens(service, parent);
  });
  afterAll(() => service.stop());

  /** Every closed operation on each of its surfaces. */
  const doors = () => closed.flatMap((route) => addressesOf(route).map((address) => ({ route, address })));

  /** With a body that would be refused, too. */
  async function knock(
    places: ReturnType<typeof doors>,
    headers: Record<string, string>,
    reason: ErrorReason,
  ): Promise<void> {
    const client = new HttpClient(service.url);
    await Promise.all(
      places.map(async ({ route, address }) => {
        const more = route.method === 'POST' ? { body: '{', type: { 'content-type': 'application/json' } } : {};
        const sent = { body: more.body, headers: { ...headers, ...more.type } };
        expectRefusal(address, await client.send(route.method, address.replace(/:\w+/g, 'x'), sent), reason);
      }),
    );
  }

  test('there are operations to try', () => {
    expect(closed.length).toBeGreaterThan(30);
  });

  test.each(ABSENT)('%s', (_, headers, reason) => knock(doors(), headers, reason));

  test('the token that the forged ones are made from is good', async () => {
    expect((await parent.get('child/get')).status).toBe(200);
  });

  test('none of the forged ones opens an operation', async () => {
    // One guard checks all tokens: each operation meets one of the forged ones, and each of them many operations.
    for (const [index, [about, token]] of forged.entries()) {
      const answer = await new HttpClient(service.url, token).get('child/get');
      expect([about, answer.status, answer.body['reason']]).toEqual([about, 401, 'TOKEN_INVALID']);
      const places = doors().filter((_, place) => place % forged.length === index);
      await knock(places, { authorization: `Bearer ${token}` }, 'TOKEN_INVALID');
    }
  });

  test('one that was signed out opens nothing', () =>
    knock(doors(), { authorization: `Bearer ${revoked}` }, 'TOKEN_REVOKED'));

  describe('in other places than the header', () => {
    test.each(['access_token', 'token', 'authorization'])('a good one as %s in the address', async (name) => {
      const answer = await new HttpClient(service.url).send('GET', `${CHILDREN}?${name}=${parent.tokens.accessToken}`);
      expectRefusal(CHILDREN, answer, 'TOKEN_MISSING');
    });

    test.each(['accessToken', 'x-access-token', 'cookie'])('a good one in the header %s', async (name) => {
      const headers = { [name]: parent.tokens.accessToken };
      expectRefusal(CHILDREN, await new HttpClient(service.url).send('GET', CHILDREN, { headers }), 'TOKEN_MISSING');
    });
  });

  test('none opens a socket, in the handshake or in a renewal', async () => {
    const renewing = await parent.connect();
    for (const [about, token] of [...forged, ['signed out', revoked] as const]) {
      const reason = about === 'signed out' ? 'TOKEN_REVOKED' : 'TOKEN_INVALID';
      const client = new TestClient(service.url, { token });
      expect([about, (await client.whenRefused()).reason]).toEqual([about, reason]);
      client.close();
      expect([about, await renewing.send('token', { token })]).toMatchObject([about, { ok: false, reason }]);
    }
    expect(await renewing.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
    parent.hangUp();
  });

  test.each([
    ['nothing', {}],
    ['an empty token', { token: '' }],
    ['a list', { token: ['x'] }],
  ])('%s opens no socket', async (_, auth) => {
    const client = new TestClient(service.url, auth);
    expect(await client.whenRefused()).toEqual({ code: 401_001, reason: 'TOKEN_MISSING' });
    client.close();
  });
});
