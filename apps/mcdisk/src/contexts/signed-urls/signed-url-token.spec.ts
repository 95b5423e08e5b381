import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { decodeSignedUrlToken, encodeSignedUrlToken, keyIdOfToken } from './signed-url-token.js';
import type { SignedUrlClaims } from './signed-url-token.js';

const key = { keyId: 7, secret: randomBytes(32) };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.toWellFormed()),
);
const facts: fc.Arbitrary<SignedUrlClaims> = fc
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

describe('tokens of addresses', () => {
  test('say what they were made of', () => {
    fc.assert(
      fc.property(facts, (made) => {
        const token = encodeSignedUrlToken(made, key);
        expect(token).toMatch(/^[\w-]+$/);
        expect(keyIdOfToken(token)).toBe(7);
        expect(decodeSignedUrlToken(token, key)).toEqual(made);
      }),
    );
  });

  test('are short enough for any router when the ids are the usual ones', () => {
    fc.assert(
      fc.property(facts, fc.uuid(), (made, sessionId) => {
        const usual = { ...made, principal: `user:${sessionId}` as const, sessionId };
        expect(encodeSignedUrlToken(usual, key).length).toBeLessThanOrEqual(140);
      }),
    );
  });

  test('changed anywhere they say nothing', () => {
    fc.assert(
      fc.property(facts, fc.nat(), fc.constantFrom(...ALPHABET), (made, at, character) => {
        const token = encodeSignedUrlToken(made, key);
        const position = at % token.length;
        const forged = token.slice(0, position) + character + token.slice(position + 1);
        fc.pre(forged !== token);
        expect(decodeSignedUrlToken(forged, key)).toBeUndefined();
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test.each(['', '=', '==', 'A', '\n', ' ', '%', '.', '/', 'é'])(
    'have one spelling: %j at the end is another',
    (more) => {
      fc.assert(
        fc.property(facts, (made) =>
          expect(decodeSignedUrlToken(encodeSignedUrlToken(made, key) + more, key) === undefined).toBe(more !== ''),
        ),
      );
    },
  );

  test('cut anywhere they say nothing', () => {
    fc.assert(
      fc.property(facts, fc.nat(), (made, at) => {
        const token = encodeSignedUrlToken(made, key);
        expect(decodeSignedUrlToken(token.slice(0, at % token.length), key)).toBeUndefined();
      }),
    );
  });

  test('of another key say nothing, even under the same number', () => {
    fc.assert(
      fc.property(facts, (made) => {
        expect(
          decodeSignedUrlToken(encodeSignedUrlToken(made, { keyId: 7, secret: randomBytes(32) }), key),
        ).toBeUndefined();
      }),
    );
  });

  test('guesses never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.uint8Array({ maxLength: 300 })), (guess) => {
        const token = typeof guess === 'string' ? guess : Buffer.from(guess).toString('base64url');
        keyIdOfToken(token);
        expect(decodeSignedUrlToken(token, key)).toBeUndefined();
      }),
    );
  });

  test('ids that the service does not make are refused, not cut', () => {
    const [made] = fc.sample(facts, 1);
    for (const sessionId of ['', 'x'.repeat(256), 'x'.repeat(200)]) {
      expect(() => encodeSignedUrlToken({ ...made!, sessionId }, key)).toThrow(TypeError);
    }
  });
});
