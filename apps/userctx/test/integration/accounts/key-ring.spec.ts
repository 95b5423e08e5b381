import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader } from 'jose';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { AccountSecrets } from '../../../src/accounts/account-secrets.js';
import { KeyRingService } from '../../../src/accounts/keys/key-ring.service.js';
import { SigningKeyRepository } from '../../../src/accounts/keys/signing-key.repository.js';
import { TokenSigner } from '../../../src/accounts/keys/token-signer.js';
import { AccountsTestEnvironment } from '../../support/accounts-test-environment.js';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
const WATCH_PRINCIPAL = { type: 'watch', id: '7312904418220331', sessionId: 's-1' } as const;

let environment: AccountsTestEnvironment;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

/** Returns a verifier that uses only the published keys, as other apps do. */
function createRemoteVerifier(ring: KeyRingService): TokenVerifier {
  return new TokenVerifier(createLocalJWKSet(ring.published));
}

test('KeyRingService creates one encrypted signing key when replicas start concurrently', async () => {
  const replica = await environment.replica();
  await environment.query('DELETE FROM userctx.signing_key');
  const rings = Array.from(
    { length: 5 },
    () => new KeyRingService(replica.get(SigningKeyRepository), replica.get(AccountSecrets)),
  );
  await Promise.all(rings.map((ring) => ring.onModuleInit()));
  await replica.get(KeyRingService).reload();
  expect(new Set(rings.map((ring) => ring.current.kid)).size).toBe(1);
  const rows = await environment.query<{ sealed_private_key: Buffer }>('SELECT * FROM userctx.signing_key');
  expect(rows).toHaveLength(1);
  // The nonce has 12 bytes, the key 32 bytes and the authentication tag 16 bytes.
  expect(rows[0]?.sealed_private_key).toHaveLength(12 + 32 + 16);
});

test('KeyRingService signs tokens that other replicas and other apps can verify', async () => {
  const [signing, verifying] = [await environment.replica(), await environment.replica()];
  const { accessToken, expiresIn } = await signing.get(TokenSigner).signAccessToken(WATCH_PRINCIPAL);
  expect(expiresIn).toBe(600);
  expect(decodeProtectedHeader(accessToken)).toEqual({
    alg: 'EdDSA',
    typ: 'at+jwt',
    kid: signing.get(KeyRingService).current.kid,
  });
  const inProcess = new TokenVerifier(verifying.get(KeyRingService).keySource);
  await expect(inProcess.verify(accessToken)).resolves.toMatchObject({ principal: WATCH_PRINCIPAL });
  await expect(createRemoteVerifier(verifying.get(KeyRingService)).verify(accessToken)).resolves.toMatchObject({
    principal: WATCH_PRINCIPAL,
  });
});

test('KeyRingService publishes only the public members of a JSON Web Key', async () => {
  const ring = (await environment.replica()).get(KeyRingService);
  for (const key of ring.published.keys) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  }
});

test('KeyRingService fails to start when SECRET_KEY is not the one that encrypted the stored keys', async () => {
  const started = environment.replica({ SECRET_KEY: 'another secret that is long enough as well' });
  await expect(started).rejects.toThrow('SECRET_KEY is not the one');
});

describe('rotation of signing keys', () => {
  test('publishes a key from before its first use until all tokens and tickets that it signed have expired', async () => {
    const [first, second] = [
      (await environment.replica()).get(KeyRingService),
      (await environment.replica()).get(KeyRingService),
    ];
    const firstKid = first.current.kid;
    const now = Date.now();
    const setClock = (sinceStartMs: number) => jest.spyOn(Date, 'now').mockReturnValue(now + sinceStartMs);
    const kidsOf = (ring: KeyRingService) => ring.published.keys.map(({ kid }) => kid);

    await first.rotate();
    expect(kidsOf(first)).toEqual([firstKid]);

    setClock(30 * DAY_MS);
    await Promise.all([first.rotate(), second.rotate()]);
    await first.reload();
    await second.reload();
    const kids = kidsOf(first);
    expect(kids).toEqual([firstKid, expect.not.stringMatching(firstKid)]);
    expect(kidsOf(second)).toEqual(kids);
    expect(first.current.kid).toBe(firstKid);

    setClock(30 * DAY_MS + 20 * MINUTE_MS);
    expect(first.current.kid).toBe(kids[1]);
    expect(kidsOf(first)).toEqual(kids);

    // A ticket of the family cloud is valid for an hour.
    setClock(30 * DAY_MS + 80 * MINUTE_MS);
    expect(kidsOf(first)).toEqual(kids);

    setClock(30 * DAY_MS + 82 * MINUTE_MS);
    expect(kidsOf(first)).toEqual([kids[1]]);
    await first.rotate();
    expect(await environment.query('SELECT kid FROM userctx.signing_key')).toEqual([{ kid: kids[1] }]);
  });

  test('reloads the stored keys at most once for 50 tokens with a forged key id', async () => {
    const ring = (await environment.replica()).get(KeyRingService);
    const reload = jest.spyOn(ring, 'reload');
    const forged = { alg: 'EdDSA', kid: 'forged' };
    const token = { payload: '', signature: '' };
    for (let index = 0; index < 50; index += 1) {
      await expect(ring.keySource(forged, token)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    }
    expect(reload.mock.calls.length).toBeLessThanOrEqual(1);
  });
});
