import { createPublicKey } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import type { CryptoKey, JWTHeaderParameters, JWTPayload } from 'jose';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { AccountSecrets } from '@family-watch/userctx/contexts/accounts/account-secrets';
import { Environment } from '@family-watch/platform/config/environment';
import type { Parent } from '../parent.js';
import type { TestService } from '../test-service.js';

/** Tokens that are not genuine, by what is wrong with each (safety table A3); made from one that is. */
export async function forgedTokens(service: TestService, genuine: Parent): Promise<[string, string][]> {
  const { publicJwk, privateKey } = await stolenKey(service);
  const good = genuine.tokens.accessToken;
  const claims = decodeJwt(good);
  const header = decodeProtectedHeader(good) as JWTHeaderParameters;
  const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' });
  const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const signed = (changes: JWTPayload, more: Partial<JWTHeaderParameters> = {}, key: CryptoKey = privateKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...more }).sign(key);
  const hmac = (secret: Uint8Array) => new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(secret);
  const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
  const ticket = await signed({ aud: 'family-watch/mcdisk' }, { typ: 'fct+jwt' });
  return [
    ['random text', 'x'.repeat(300)],
    ['three random parts', 'eyJ4.eyJ4.c2ln'],
    ['expired', await signed({ iat: hourAgo, exp: hourAgo + 600 })],
    ['without expiry', await signed({ exp: undefined })],
    ['not valid yet', await signed({ nbf: hourAgo + 7_200 })],
    ['of no algorithm', unsecured(claims)],
    ['of no algorithm, keeping kid and type', unsecured(claims, { ...header, alg: 'none' })],
    ['HMAC with the public key as PEM', await hmac(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })))],
    ['HMAC with the raw public key', await hmac(Buffer.from(publicJwk.x, 'base64url'))],
    ['for another audience', await signed({ aud: 'somebody-else' })],
    ['of another issuer', await signed({ iss: 'somebody-else' })],
    ['of an unknown key', await signed({}, { kid: 'k9-00000000' })],
    ['without a key id', await signed({}, { kid: undefined })],
    ['of another type', await signed({}, { typ: 'JWT' })],
    ['signed by a stranger under our key id', await signed({}, {}, stranger.privateKey)],
    ['with the key inside', await signed({}, { jwk: stranger.publicKey as never }, stranger.privateKey)],
    ['raised to an operator without a session', await signed({ sub: 'operator:1', sid: undefined })],
    ['with its claims exchanged', exchanged(good, { ...claims, sub: 'user:00000000-0000-4000-8000-000000000000' })],
    ['a ticket of the family cloud', ticket],
    ['a refresh token', genuine.tokens.refreshToken],
  ];
}

/** The key that signs access tokens, as whoever has the database and SECRET_KEY can read it. */
async function stolenKey(service: TestService) {
  const [row] = await service.query<{ kid: string; x: string; sealed: Buffer }>(
    'SELECT kid, public_key AS x, sealed_private_key AS sealed FROM userctx.signing_key ORDER BY generation',
  );
  if (!row) throw new Error('There is no signing key');
  const secrets = new AccountSecrets(Object.assign(new Environment(), { SECRET_KEY: service.secretKey }));
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x: row.x };
  const d = secrets.signingKeys.open(row.sealed, row.kid).toString('base64url');
  return { publicJwk, privateKey: (await importJWK({ ...publicJwk, d }, 'EdDSA')) as CryptoKey };
}

/** What a call without a Bearer token looks like. */
export const ABSENT: readonly [string, Record<string, string>, ErrorReason][] = [
  ['no header', {}, 'TOKEN_MISSING'],
  ['an empty header', { authorization: '' }, 'TOKEN_MISSING'],
  ['Bearer and nothing', { authorization: 'Bearer ' }, 'TOKEN_MISSING'],
  ['another scheme', { authorization: 'Basic dXNlcjpwYXNzd29yZA==' }, 'TOKEN_MISSING'],
  ['two words', { authorization: 'Bearer a b' }, 'TOKEN_MISSING'],
];

function unsecured(claims: JWTPayload, header?: object): string {
  const [first = '', payload = ''] = new UnsecuredJWT(claims).encode().split('.');
  return `${header ? encoded(header) : first}.${payload}.`;
}

function exchanged(token: string, claims: object): string {
  const [header = '', , signature = ''] = token.split('.');
  return `${header}.${encoded(claims)}.${signature}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
