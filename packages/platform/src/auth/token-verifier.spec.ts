import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import {
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  ACCESS_TOKEN_FORMAT,
  OPERATOR_TOKEN_FORMAT,
  TokenVerifier,
  type VerificationKeySource,
} from './token-verifier.js';

const NOW = 1_790_000_000_000;
const HEADER = { alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' };
const CLAIMS: JWTPayload = {
  sub: 'user:u-1',
  sid: 's-1',
  iss: ACCESS_TOKEN_FORMAT.issuer,
  aud: ACCESS_TOKEN_FORMAT.audience,
  iat: NOW / 1000,
  iat_ms: NOW + 7,
  exp: NOW / 1000 + 600,
};

let signingKey: CryptoKey;
let publicKeyText: string;
let verificationKeys: VerificationKeySource;
let currentTime = NOW;

beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  signingKey = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' };
  publicKeyText = String(jwk.x);
  verificationKeys = createLocalJWKSet({ keys: [jwk] });
});

function signToken(
  claims: JWTPayload = CLAIMS,
  header: JWTHeaderParameters = HEADER,
  key = signingKey,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

function createVerifier(source: VerificationKeySource = verificationKeys): TokenVerifier {
  currentTime = NOW;
  return new TokenVerifier(source, () => currentTime);
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ServiceError ? error.reason : `no ServiceError: ${String(error)}`;
}

describe('TokenVerifier', () => {
  test('returns principal, session and times of a valid token', async () => {
    await expect(createVerifier().verify(await signToken())).resolves.toEqual({
      principal: { type: 'user', id: 'u-1', sessionId: 's-1' },
      issuedAt: NOW + 7,
      expiresAt: NOW + 600_000,
    });
  });

  test.each<[string, JWTPayload]>([
    ['the audience of another service', { ...CLAIMS, aud: 'someone' }],
    ['the issuer of another service', { ...CLAIMS, iss: 'someone' }],
    ['no session', { ...CLAIMS, sid: undefined }],
    ['a session that is not text', { ...CLAIMS, sid: 7 }],
    ['an unknown kind of principal', { ...CLAIMS, sub: 'root:1' }],
    ['no principal id', { ...CLAIMS, sub: 'user:' }],
    ['no issue time in milliseconds', { ...CLAIMS, iat_ms: undefined }],
    ['no expiry', { ...CLAIMS, exp: undefined }],
    ['expiry at the current time', { ...CLAIMS, exp: NOW / 1000 }],
  ])('rejects a token with %s', async (_, claims) => {
    expect(await reasonOf(createVerifier().verify(await signToken(claims)))).toBe('TOKEN_INVALID');
  });

  test.each<[string, JWTHeaderParameters]>([
    ['another type', { ...HEADER, typ: 'JWT' }],
    ['no type', { alg: 'EdDSA', kid: 'k1' }],
    ['no key id', { alg: 'EdDSA', typ: 'at+jwt' }],
    ['an unknown key id', { ...HEADER, kid: 'k2' }],
  ])('rejects a token with %s in the header', async (_, header) => {
    expect(await reasonOf(createVerifier().verify(await signToken(CLAIMS, header)))).toBe('TOKEN_INVALID');
  });

  test('accepts tokens of operators only in the format of operators, and tokens of persons only in the other', async () => {
    const operators = new TokenVerifier(verificationKeys, () => NOW, OPERATOR_TOKEN_FORMAT);
    const { audience } = OPERATOR_TOKEN_FORMAT;
    const operatorToken = await signToken({ ...CLAIMS, aud: audience, sub: 'operator:o-1' });
    await expect(operators.verify(operatorToken)).resolves.toMatchObject({
      principal: { type: 'operator', id: 'o-1' },
    });
    expect(await reasonOf(createVerifier().verify(operatorToken))).toBe('TOKEN_INVALID');
    const mixed = [
      await signToken(),
      await signToken({ ...CLAIMS, aud: audience }),
      await signToken({ ...CLAIMS, aud: audience, sub: 'watch:1' }),
      await signToken({ ...CLAIMS, sub: 'operator:o-1' }),
    ];
    for (const token of mixed) expect(await reasonOf(operators.verify(token))).toBe('TOKEN_INVALID');
    expect(await reasonOf(createVerifier().verify(mixed[3] ?? ''))).toBe('TOKEN_INVALID');
  });

  test('rejects a token signed with another key, with "none" or with the public key as shared secret', async () => {
    const { privateKey: foreign } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const [, payload = ''] = (await signToken()).split('.');
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hmacText = `${encode({ ...HEADER, alg: 'HS256' })}.${payload}`;
    const forged = [
      await signToken(CLAIMS, HEADER, foreign),
      `${encode({ ...HEADER, alg: 'none' })}.${payload}.`,
      `${hmacText}.${createHmac('sha256', publicKeyText).update(hmacText).digest('base64url')}`,
      'x',
      '..',
      'a'.repeat(5_000),
    ];
    for (const token of forged) expect(await reasonOf(createVerifier().verify(token))).toBe('TOKEN_INVALID');
  });

  test('rejects a genuine token whose last character has other unused bits, or that has padding', async () => {
    const token = await signToken();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 64 bytes of signature leave four unused bits in the last character.
    const last = alphabet.indexOf(token.slice(-1));
    const others = Array.from({ length: 15 }, (_, bits) => token.slice(0, -1) + alphabet.charAt(last + bits + 1));
    for (const other of [...others, `${token}==`, token.replace('.', '=.')])
      expect(await reasonOf(createVerifier().verify(other))).toBe('TOKEN_INVALID');
    await expect(createVerifier().verify(token)).resolves.toBeDefined();
  });

  test('rejects with SERVICE_UNAVAILABLE instead of TOKEN_INVALID while the verification keys are unavailable', async () => {
    const failures = [
      new TypeError('fetch failed'),
      new errors.JWKSTimeout(),
      new errors.JWKSInvalid(),
      new errors.JOSEError('Expected 200 OK from the JSON Web Key Set HTTP response'),
    ];
    for (const failure of failures) {
      const unavailable = createVerifier(() => Promise.reject(failure));
      expect(await reasonOf(unavailable.verify(await signToken()))).toBe('SERVICE_UNAVAILABLE');
    }
  });

  test('looks up the key once per token and rejects the cached token once it has expired', async () => {
    let queries = 0;
    const counting = createVerifier((header, token) => {
      queries += 1;
      return verificationKeys(header, token);
    });
    const token = await signToken();
    await counting.verify(token);
    await counting.verify(token);
    expect(queries).toBe(1);
    currentTime = NOW + 600_000;
    expect(await reasonOf(counting.verify(token))).toBe('TOKEN_INVALID');
  });
});
