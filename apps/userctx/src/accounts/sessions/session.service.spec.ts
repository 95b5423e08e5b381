import { describe, expect, test } from '@jest/globals';
import { hashRefreshToken, generateRefreshToken, decryptSuccessor, encryptSuccessor } from './session.service.js';

describe('refresh tokens', () => {
  test('generateRefreshToken returns 256 random bits', () => {
    const tokens = new Set(Array.from({ length: 1_000 }, generateRefreshToken));
    expect(tokens.size).toBe(1_000);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  test('hashRefreshToken returns a hash, or undefined for a malformed token', () => {
    const token = generateRefreshToken();
    expect(hashRefreshToken(token)).toEqual(hashRefreshToken(token));
    expect(hashRefreshToken(token)?.toString('base64url')).not.toBe(token);
    expect(hashRefreshToken('')).toBeUndefined();
    expect(hashRefreshToken(`${token}=`)).toBeUndefined();
  });

  test('decryptSuccessor requires the predecessor of the encrypted token', () => {
    const [token, successor] = [generateRefreshToken(), generateRefreshToken()];
    const sealed = encryptSuccessor(token, successor);
    expect(decryptSuccessor(token, sealed)).toBe(successor);
    expect(() => decryptSuccessor(generateRefreshToken(), sealed)).toThrow();
  });
});
