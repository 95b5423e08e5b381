import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { NONCE_TTL_MS, WatchNonces } from './watch-nonces.js';

const secrets = new WatchNonces({ SECRET_KEY: 'one secret of at least 32 characters' });

describe('verifyNonce', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('accepts a nonce only for its purpose and subject', () => {
    const nonce = secrets.issueNonce('token', '42');
    expect(secrets.verifyNonce('token', '42', nonce)).toBeDefined();
    expect(secrets.verifyNonce('enrol', '42', nonce)).toBeUndefined();
    expect(secrets.verifyNonce('token', '43', nonce)).toBeUndefined();
  });

  test('rejects a nonce after one minute', () => {
    const issuedAt = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(issuedAt);
    const nonce = secrets.issueNonce('token', '42');
    clock.mockReturnValue(issuedAt + NONCE_TTL_MS - 1);
    expect(secrets.verifyNonce('token', '42', nonce)?.expiresAt).toBe(issuedAt + NONCE_TTL_MS);
    clock.mockReturnValue(issuedAt + NONCE_TTL_MS);
    expect(secrets.verifyNonce('token', '42', nonce)).toBeUndefined();
  });

  test('rejects a nonce with another secret or a changed byte', () => {
    const nonce = secrets.issueNonce('token', '42');
    const other = new WatchNonces({ SECRET_KEY: 'another secret of at least 32 characters' });
    expect(other.verifyNonce('token', '42', nonce)).toBeUndefined();
    const bytes = Buffer.from(nonce, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const forged = Buffer.from(bytes);
      forged[index] = (forged[index] ?? 0) ^ 1;
      expect(secrets.verifyNonce('token', '42', forged.toString('base64url'))).toBeUndefined();
    }
  });

  test('rejects another encoding of a nonce; issueNonce never returns the same nonce twice', () => {
    const nonce = secrets.issueNonce('token', '42');
    expect(secrets.issueNonce('token', '42')).not.toBe(nonce);
    expect(secrets.verifyNonce('token', '42', `${nonce}=`)).toBeUndefined();
  });
});

test('the constructor of WatchNonces throws without SECRET_KEY', () => {
  expect(() => new WatchNonces({})).toThrow('SECRET_KEY is required');
});
