import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { decodeBytes, isSignedBy, parsePublicKey } from './ed25519.js';

function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { text: publicKey.export({ format: 'jwk' }).x ?? '', privateKey };
}

describe('parsePublicKey', () => {
  test('accepts a generated key', () => {
    const { text } = keyPair();
    expect(parsePublicKey(text)?.toString('base64url')).toBe(text);
  });

  test.each([
    ['a point of order 4', '0000000000000000000000000000000000000000000000000000000000000000'],
    ['a point of order 1', '0100000000000000000000000000000000000000000000000000000000000000'],
    ['a point of order 1 with the sign bit set', '0100000000000000000000000000000000000000000000000000000000000080'],
    ['a point of order 2', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['a point of order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['a point of order 8 with the sign bit set', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['another point of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['a y coordinate that is not reduced (p)', 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['a y coordinate that is not reduced (p + 1)', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['too few bytes', '01020304'],
  ])('rejects a key with %s', (_, hex) => {
    expect(parsePublicKey(Buffer.from(hex, 'hex').toString('base64url'))).toBeUndefined();
  });

  test('rejects an alternative encoding of the same bytes', () => {
    const { text } = keyPair();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(text.slice(-1));
    const alternative = text.slice(0, -1) + alphabet.charAt(last + 1);
    expect(Buffer.from(alternative, 'base64url')).toEqual(Buffer.from(text, 'base64url'));
    expect(parsePublicKey(alternative)).toBeUndefined();
    expect(parsePublicKey(`${text}=`)).toBeUndefined();
    expect(decodeBytes('+/', 1)).toBeUndefined();
  });
});

describe('isSignedBy', () => {
  const { text: key, privateKey } = keyPair();
  const publicKey = parsePublicKey(key) as Buffer;
  const signature = sign(null, Buffer.from('text'), privateKey).toString('base64url');

  test('accepts a signature only for the key and the text that were signed', () => {
    const otherKey = parsePublicKey(keyPair().text) as Buffer;
    expect(isSignedBy(publicKey, 'text', signature)).toBe(true);
    expect(isSignedBy(publicKey, 'texT', signature)).toBe(false);
    expect(isSignedBy(otherKey, 'text', signature)).toBe(false);
  });

  test('rejects malformed signatures', () => {
    expect(isSignedBy(publicKey, 'text', '')).toBe(false);
    expect(isSignedBy(publicKey, 'text', signature.slice(1))).toBe(false);
    expect(isSignedBy(publicKey, 'text', Buffer.alloc(64).toString('base64url'))).toBe(false);
  });

  test('returns false for a key that is not a point of the curve', () => {
    const noPoint = parsePublicKey(Buffer.from(`02${'00'.repeat(31)}`, 'hex').toString('base64url'));
    expect(noPoint && isSignedBy(noPoint, 'text', signature)).toBe(false);
  });
});
