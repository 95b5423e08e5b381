import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { decodeBase64Url } from '@family-watch/platform/auth/token-verifier';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const FIELD_PRIME = 2n ** 255n - 19n;

/**
 * The y coordinates of the eight points of small order. A key with the y coordinate of a point of small order is
 * rejected (see RFC 7748, section 6), because a valid signature for such a key can be created without any secret.
 */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  FIELD_PRIME - 1n,
  littleEndian(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')),
  littleEndian(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')),
]);

/**
 * Decodes base64url without padding. Returns undefined unless the text is the canonical encoding of exactly `length`
 * bytes.
 */
export function decodeBytes(text: string, length: number): Buffer | undefined {
  const bytes = decodeBase64Url(text);
  return bytes?.length === length ? bytes : undefined;
}

/** Returns a raw Ed25519 public key; undefined if it is malformed, not canonical or of small order. */
export function parsePublicKey(text: string): Buffer | undefined {
  const bytes = decodeBytes(text, KEY_BYTES);
  if (!bytes) return undefined;
  const y = littleEndian(bytes) & ((1n << 255n) - 1n);
  return y < FIELD_PRIME && !SMALL_ORDER_Y.has(y) ? bytes : undefined;
}

/**
 * Returns whether the signature of the text is valid for this raw public key. The result is false for every malformed
 * signature.
 */
export function isSignedBy(publicKey: Buffer, text: string, signature: string): boolean {
  const bytes = decodeBytes(signature, SIGNATURE_BYTES);
  return bytes !== undefined && verify(null, Buffer.from(text, 'utf8'), keyObject(publicKey), bytes);
}

function keyObject(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
