import { createPublicKey } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { AccountSecrets } from '@family-watch/userctx/accounts/account-secrets';
import { Environment } from '@family-watch/platform/config/environment';
import type { Parent } from '../parent.js';
import type { TestService } from '../test-service.js';

/** Creates invalid tokens from a genuine token. Each entry is a description and a token. */
export async function forgedTokens(service: TestService, genuine: Parent): Promise<[string, string][]> {
  const { publicJwk, privateKey } = await readSigningKey(service);
  const accessToken = genuine.tokens.accessToken;
  const claims = decodeJwt(accessToken);
  const header = decodeProtectedHeader(accessToken) as JWTHeaderParameters;
  const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' });
  const otherKeys = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const signed = (changes: JWTPayload, extraHeader: Partial<JWTHeaderParameters> = {}, key: CryptoKey = privateKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...extraHeader }).sign(key);
  const hmac = (secret: Uint8Array) => new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(secret);
  const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
  const ticket = await signed({ aud: 'family-watch/mcdisk' }, { typ: 'fct+jwt' });
  return [
    ['random text', 'x'.repeat(300)],
    ['three random parts', 'eyJ4.eyJ4.c2ln'],
    ['expired', await signed({ iat: hourAgo, exp: hourAgo + 600 })],
    ['without expiry', await signed({ exp: undefined })],
    ['not valid yet', await signed({ nbf: hourAgo + 7_200 })],
    ['with algorithm none', createUnsecuredToken(claims)],
    ['with algorithm none and the original kid and type', createUnsecuredToken(claims, { ...header, alg: 'none' })],
    [
      'signed by HMAC with the public key as PEM',
      await hmac(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))),
    ],
    ['signed by HMAC with the raw public key', await hmac(Buffer.from(publicJwk.x, 'base64url'))],
    ['for another audience', await signed({ aud: 'another-audience' })],
    ['from another issuer', await signed({ iss: 'another-issuer' })],
    ['with an unknown key id', await signed({}, { kid: 'k9-00000000' })],
    ['without a key id', await signed({}, { kid: undefined })],
    ['of another type', await signed({}, { typ: 'JWT' })],
    ['signed by another key under the genuine key id', await signed({}, {}, otherKeys.privateKey)],
    ['with an embedded public key', await signed({}, { jwk: otherKeys.publicKey as never }, otherKeys.privateKey)],
    ['with an operator as subject and no session', await signed({ sub: 'operator:1', sid: undefined })],
    [
      'with replaced claims',
      replacePayload(accessToken, { ...claims, sub: 'user:00000000-0000-4000-8000-000000000000' }),
    ],
    ['a ticket of the family cloud', ticket],
    ['a refresh token', genuine.tokens.refreshToken],
  ];
}

/** Reads the key that signs access tokens from the database and decrypts it with SECRET_KEY, as an attacker could. */
async function readSigningKey(service: TestService) {
  const [row] = await service.query<{ kid: string; x: string; sealed: Buffer }>(
    'SELECT kid, public_key AS x, sealed_private_key AS sealed FROM userctx.signing_key ORDER BY generation',
  );
  if (!row) throw new Error('The database contains no signing key');
  const secrets = new AccountSecrets(Object.assign(new Environment(), { SECRET_KEY: service.secretKey }));
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x: row.x };
  const d = secrets.signingKeyBox.open(row.sealed, row.kid).toString('base64url');
  return { publicJwk, privateKey: (await importJWK({ ...publicJwk, d }, 'EdDSA')) as CryptoKey };
}

/** Requests without a valid Bearer token: description, headers, expected reason. */
export const TOKENLESS_REQUESTS: readonly [string, Record<string, string>, ErrorReason][] = [
  ['a request without an Authorization header', {}, 'TOKEN_MISSING'],
  ['an empty Authorization header', { authorization: '' }, 'TOKEN_MISSING'],
  ['Bearer without a token', { authorization: 'Bearer ' }, 'TOKEN_MISSING'],
  ['the scheme Basic', { authorization: 'Basic dXNlcjpwYXNzd29yZA==' }, 'TOKEN_MISSING'],
  ['Bearer with two tokens', { authorization: 'Bearer a b' }, 'TOKEN_MISSING'],
];

function createUnsecuredToken(claims: JWTPayload, header?: object): string {
  const [first = '', payload = ''] = new UnsecuredJWT(claims).encode().split('.');
  return `${header ? encodePart(header) : first}.${payload}.`;
}

function replacePayload(token: string, claims: object): string {
  const [header = '', , signature = ''] = token.split('.');
  return `${header}.${encodePart(claims)}.${signature}`;
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
