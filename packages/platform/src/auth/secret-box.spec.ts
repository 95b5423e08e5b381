import { describe, expect, test } from '@jest/globals';
import { deriveKey, SecretBoxOpenError, SecretBox } from './secret-box.js';

const SECRET = 'a secret of at least thirty-two characters';

describe('SecretBox', () => {
  const box = new SecretBox(deriveKey(SECRET, 'test'));

  test('opens a sealed buffer', () => {
    const sealed = box.seal(Buffer.from('private'), 'kid-1');
    expect(sealed.includes('private')).toBe(false);
    expect(box.open(sealed, 'kid-1').toString()).toBe('private');
  });

  test('returns a different ciphertext for the same text each time', () => {
    expect(box.seal(Buffer.from('x'), '')).not.toEqual(box.seal(Buffer.from('x'), ''));
  });

  test('throws for another context, a key for another purpose, or a modified or truncated ciphertext', () => {
    const sealed = box.seal(Buffer.from('private'), 'kid-1');
    const changed = Buffer.from(sealed);
    changed[14] = (changed[14] ?? 0) ^ 1;
    const other = new SecretBox(deriveKey(SECRET, 'other'));
    expect(() => box.open(sealed, 'kid-2')).toThrow(SecretBoxOpenError);
    expect(() => other.open(sealed, 'kid-1')).toThrow(SecretBoxOpenError);
    expect(() => box.open(changed, 'kid-1')).toThrow(SecretBoxOpenError);
    expect(() => box.open(Buffer.alloc(3), 'kid-1')).toThrow(SecretBoxOpenError);
  });
});
