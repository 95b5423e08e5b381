import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { decodeSignedUrlToken, encodeSignedUrlToken, keyIdOfToken, type SignedUrlClaims } from './signed-url-token.js';

const key = { keyId: 7, secret: randomBytes(32) };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.toWellFormed()),
);
const claimsArbitrary: fc.Arbitrary<SignedUrlClaims> = fc
  .record({
    variant: fc.constantFrom(...Object.values(DOWNLOAD_VARIANT)),
    contentId: fc.uuid(),
    cloudId: fc.uuid(),
    holder: fc.oneof(
      fc.uuid().map((userId) => `user:${userId}` as const),
      fc.nat(2 ** 47).map((did) => `watch:${did}` as const),
      id.map((name) => `operator:${name}` as const),
    ),
    sessionId: id,
    createdAt: fc.nat(2 ** 44),
  })
  .map(({ holder: principal, ...rest }) => ({ ...rest, principal, expiresAt: rest.createdAt + SIGNED_URL_TTL_MS }));

describe('signed URL tokens', () => {
  test('a token is decoded to the encoded claims', () => {
    fc.assert(
      fc.property(claimsArbitrary, (encoded) => {
        const token = encodeSignedUrlToken(encoded, key);
        expect(token).toMatch(/^[\w-]+$/);
        expect(keyIdOfToken(token)).toBe(7);
        expect(decodeSignedUrlToken(token, key)).toEqual(encoded);
      }),
    );
  });

  test('a token has at most 140 characters when all ids are UUIDs', () => {
    fc.assert(
      fc.property(claimsArbitrary, fc.uuid(), (encoded, sessionId) => {
        const typical = { ...encoded, principal: `user:${sessionId}` as const, sessionId };
        expect(encodeSignedUrlToken(typical, key).length).toBeLessThanOrEqual(140);
      }),
    );
  });

  test('a token is invalid when any of its characters is changed', () => {
    fc.assert(
      fc.property(claimsArbitrary, fc.nat(), fc.constantFrom(...ALPHABET), (encoded, at, character) => {
        const token = encodeSignedUrlToken(encoded, key);
        const position = at % token.length;
        const forged = token.slice(0, position) + character + token.slice(position + 1);
        fc.pre(forged !== token);
        expect(decodeSignedUrlToken(forged, key)).toBeUndefined();
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test.each(['', '=', '==', 'A', '\n', ' ', '%', '.', '/', 'é'])(
    'a token with the appended text %j is invalid, unless the text is empty',
    (suffix) => {
      fc.assert(
        fc.property(claimsArbitrary, (encoded) =>
          expect(decodeSignedUrlToken(encodeSignedUrlToken(encoded, key) + suffix, key) === undefined).toBe(
            suffix !== '',
          ),
        ),
      );
    },
  );

  test('a token is invalid when it is truncated at any position', () => {
    fc.assert(
      fc.property(claimsArbitrary, fc.nat(), (encoded, at) => {
        const token = encodeSignedUrlToken(encoded, key);
        expect(decodeSignedUrlToken(token.slice(0, at % token.length), key)).toBeUndefined();
      }),
    );
  });

  test('a token is invalid when it was signed by another key with the same key id', () => {
    fc.assert(
      fc.property(claimsArbitrary, (encoded) => {
        expect(
          decodeSignedUrlToken(encodeSignedUrlToken(encoded, { keyId: 7, secret: randomBytes(32) }), key),
        ).toBeUndefined();
      }),
    );
  });

  test('decoding arbitrary text as a token returns undefined and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.uint8Array({ maxLength: 300 })), (guess) => {
        const token = typeof guess === 'string' ? guess : Buffer.from(guess).toString('base64url');
        keyIdOfToken(token);
        expect(decodeSignedUrlToken(token, key)).toBeUndefined();
      }),
    );
  });

  test('encoding ids of unsupported length throws a TypeError and does not truncate the ids', () => {
    const [encoded] = fc.sample(claimsArbitrary, 1);
    for (const sessionId of ['', 'x'.repeat(256), 'x'.repeat(200)]) {
      expect(() => encodeSignedUrlToken({ ...encoded!, sessionId }, key)).toThrow(TypeError);
    }
  });
});
