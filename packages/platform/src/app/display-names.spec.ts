import { describe, expect, test } from '@jest/globals';
import { MAX_NAMES_PER_CALL, type NameKey, type NameSource } from '@family-watch/domain/kernel/contracts/display-names';
import { DisplayNames } from './display-names.js';

/** Knows every name, and records the number of keys per call. */
class RecordingSource implements NameSource {
  readonly calls: number[] = [];

  findNames(keys: readonly NameKey[]) {
    this.calls.push(keys.length);
    return Promise.resolve(Object.fromEntries(keys.map((key) => [key, { name: `Name of ${key}`, avatar: null }])));
  }
}

describe('DisplayNames', () => {
  test('finds all names in one call, and asks for each key once', async () => {
    const source = new RecordingSource();
    const names = await new DisplayNames(source).find(['child:1', 'user:2', 'child:1']);
    expect(Object.fromEntries(names)).toEqual({
      'child:1': { name: 'Name of child:1', avatar: null },
      'user:2': { name: 'Name of user:2', avatar: null },
    });
    expect(source.calls).toEqual([2]);
  });

  test('splits more keys than a call may have, and makes no call without keys', async () => {
    const source = new RecordingSource();
    const keys = Array.from({ length: MAX_NAMES_PER_CALL + 1 }, (_, index): NameKey => `user:${index}`);
    expect((await new DisplayNames(source).find(keys)).size).toBe(MAX_NAMES_PER_CALL + 1);
    await new DisplayNames(source).find([]);
    expect(source.calls).toEqual([MAX_NAMES_PER_CALL, 1]);
  });

  test('returns no names while the source fails, and without a source', async () => {
    const failing: NameSource = { findNames: () => Promise.reject(new Error('userctx does not respond')) };
    expect((await new DisplayNames(failing).find(['user:1'])).size).toBe(0);
    expect((await new DisplayNames(undefined).find(['user:1'])).size).toBe(0);
  });
});
