import { describe, expect, test } from '@jest/globals';
import { WatchCodes } from './watch-codes.js';

const codes = new WatchCodes({ SECRET_KEY: 'one secret of at least 32 characters' });

describe('digest', () => {
  test('returns a digest that depends on code, context and secret', () => {
    const digest = codes.digest('confirm:1', '123456');
    expect(codes.digest('confirm:1', '123456')).toEqual(digest);
    expect(codes.digest('confirm:2', '123456')).not.toEqual(digest);
    expect(codes.digest('confirm:1', '123457')).not.toEqual(digest);
    const other = new WatchCodes({ SECRET_KEY: 'another secret of at least 32 characters' });
    expect(other.digest('confirm:1', '123456')).not.toEqual(digest);
  });
});

test('the constructor of WatchCodes throws without SECRET_KEY', () => {
  expect(() => new WatchCodes({})).toThrow('SECRET_KEY is required');
});
