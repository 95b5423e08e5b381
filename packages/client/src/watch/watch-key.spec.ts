import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { WatchKey } from './watch-key.js';

test('WatchKey creates keys and signatures of the lengths that the service accepts, and the public key verifies the signature', async () => {
  const key = await WatchKey.generate();
  const text = 'family-watch/token\nhttps://watch.example.org\nnonce\n1';
  const signature = await key.sign(text);
  expect(key.publicKey).toMatch(/^[\w-]{43}$/);
  expect(signature).toMatch(/^[\w-]{86}$/);
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey }, format: 'jwk' });
  expect(verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(verify(null, Buffer.from(`${text}2`), publicKey, Buffer.from(signature, 'base64url'))).toBe(false);
});
