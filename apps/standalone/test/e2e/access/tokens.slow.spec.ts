import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { operatorAccessOf } from '@family-watch/platform/http/operation.decorator';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { pathsOf } from '../../support/access/caller.js';
import { TOKENLESS_REQUESTS, forgedTokens } from '../../support/access/forged-tokens.js';
import { declaredOperations } from '../../support/declared-operations.js';
import { expectError } from '../../support/envelopes.js';
import { HttpClient } from '../../support/http-client.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { describeBothDeployments } from '../../support/deployments.js';

const CHILDREN_PATH = '/apis/v2/userctx/user/child/get';

/** Each operation must verify the token before any other part of the request. */
describeBothDeployments('A3 access tokens', (deployment) => {
  let service: TestService;
  let parent: Parent;
  let protectedRoutes: DeclaredRoute[];
  let revokedToken: string;
  let forgedTokenEntries: [string, string][];

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    parent = await Parent.signUp(service);
    protectedRoutes = (await declaredOperations()).filter(({ access }) => access !== 'public');
    const phone = await parent.signInOnSecondPhone();
    await phone.post('account/sign-out', {});
    revokedToken = phone.tokens.accessToken;
    forgedTokenEntries = await forgedTokens(service, parent);
  });
  afterAll(() => service.stop());

  /** Returns each path of each protected operation. */
  const protectedPaths = () =>
    protectedRoutes.flatMap((route) => pathsOf(route).map((address) => ({ route, address })));

  /** Sends an invalid body to each path and expects the error of the token, which is verified before the body. */
  async function expectRejected(
    targets: ReturnType<typeof protectedPaths>,
    headers: Record<string, string>,
    reason: ErrorReason,
  ): Promise<void> {
    const client = new HttpClient(service.url);
    await Promise.all(
      targets.map(async ({ route, address }) => {
        const payload = route.method === 'POST' ? { body: '{', type: { 'content-type': 'application/json' } } : {};
        const sent = { body: payload.body, headers: { ...headers, ...payload.type } };
        expectError(address, await client.send(route.method, address.replace(/:\w+/g, 'x'), sent), reason);
      }),
    );
  }

  test('more than 30 operations require a token', () => {
    expect(protectedRoutes.length).toBeGreaterThan(30);
  });

  test.each(TOKENLESS_REQUESTS)('each protected operation rejects %s', (_, headers, reason) =>
    expectRejected(protectedPaths(), headers, reason),
  );

  test('the genuine token from which the forged tokens are derived is accepted', async () => {
    expect((await parent.get('child/get')).status).toBe(200);
  });

  test('each forged token is rejected, and each protected operation rejects a forged token', async () => {
    // One guard verifies all tokens, so each path is tested with one forged token, and each forged token on many paths.
    for (const [index, [description, token]] of forgedTokenEntries.entries()) {
      const answer = await new HttpClient(service.url, token).get('child/get');
      expect([description, answer.status, answer.body['reason']]).toEqual([description, 401, 'TOKEN_INVALID']);
      const targets = protectedPaths().filter((_, place) => place % forgedTokenEntries.length === index);
      await expectRejected(targets, { authorization: `Bearer ${token}` }, 'TOKEN_INVALID');
    }
  });

  test('each protected operation rejects a revoked token', async () => {
    // Operations of operators reject the token because of its audience, before they look for a revocation.
    const isOperators = ({ route }: ReturnType<typeof protectedPaths>[number]) => operatorAccessOf(route.access);
    const headers = { authorization: `Bearer ${revokedToken}` };
    await expectRejected(
      protectedPaths().filter((target) => !isOperators(target)),
      headers,
      'TOKEN_REVOKED',
    );
    await expectRejected(protectedPaths().filter(isOperators), headers, 'TOKEN_INVALID');
  });

  describe('a token outside the Authorization header', () => {
    test.each(['access_token', 'token', 'authorization'])('is ignored in the query parameter %s', async (name) => {
      const answer = await new HttpClient(service.url).send(
        'GET',
        `${CHILDREN_PATH}?${name}=${parent.tokens.accessToken}`,
      );
      expectError(CHILDREN_PATH, answer, 'TOKEN_MISSING');
    });

    test.each(['accessToken', 'x-access-token', 'cookie'])('is ignored in the header %s', async (name) => {
      const headers = { [name]: parent.tokens.accessToken };
      expectError(
        CHILDREN_PATH,
        await new HttpClient(service.url).send('GET', CHILDREN_PATH, { headers }),
        'TOKEN_MISSING',
      );
    });
  });

  test('the socket handshake and the renewal of a token reject forged and revoked tokens', async () => {
    const renewing = await parent.connect();
    for (const [description, token] of [...forgedTokenEntries, ['signed out', revokedToken] as const]) {
      const reason = description === 'signed out' ? 'TOKEN_REVOKED' : 'TOKEN_INVALID';
      const client = new TestClient(service.url, { token });
      expect([description, (await client.waitForRejection()).reason]).toEqual([description, reason]);
      client.close();
      expect([description, await renewing.send('token', { token })]).toMatchObject([
        description,
        { ok: false, reason },
      ]);
    }
    expect(await renewing.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
    parent.disconnectAll();
  });

  test.each([
    ['a missing token', {}],
    ['an empty token', { token: '' }],
    ['a list instead of a token', { token: ['x'] }],
  ])('the socket handshake rejects %s', async (_, auth) => {
    const client = new TestClient(service.url, auth);
    expect(await client.waitForRejection()).toEqual({ code: 401_001, reason: 'TOKEN_MISSING' });
    client.close();
  });
});
