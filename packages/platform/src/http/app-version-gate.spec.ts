import { describe, expect, test } from '@jest/globals';
import type { MinimumAppVersion } from '@family-watch/domain/operators/contracts/app-release';
import { RefreshedValue } from '../concurrency/refreshed-value.js';
import { AppVersionGate } from './app-version-gate.js';

const minimum = (version: string): MinimumAppVersion => ({ platform: 'ANDROID', channel: 'stable', version });

async function outcomeOf(gate: AppVersionGate, header: string): Promise<string> {
  try {
    await gate.assertVersionSupported(header);
    return 'ok';
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}

describe('AppVersionGate', () => {
  test.each([
    ['ANDROID/stable/1.9.9', 'APP_VERSION_UNSUPPORTED'],
    ['ANDROID/stable/1.10.0-rc.1', 'APP_VERSION_UNSUPPORTED'],
    ['ANDROID/stable/1.10.0', 'ok'],
    ['ANDROID/stable/2.0.0+build', 'ok'],
    ['ANDROID/beta/1.0.0', 'ok'],
    ['IOS/stable/1.0.0', 'ok'],
    ['', 'ok'],
    ['ANDROID/stable/', 'ok'],
    ['ANDROID/stable/1.0', 'ok'],
    ['ANDROID/stable/1.0.0/', 'ok'],
    ['__proto__/constructor/1.0.0', 'ok'],
    [`ANDROID/stable/1.0.0-${'9'.repeat(60)}`, 'ok'],
    [`ANDROID/stable/1.0.0-${'x.'.repeat(10_000)}`, 'ok'],
  ])('with the minimum 1.10.0, the app %s gets %s', async (header, expected) => {
    expect(await outcomeOf(new AppVersionGate(async () => [minimum('1.10.0')]), header)).toBe(expected);
  });

  test('applies a changed minimum after a reload, and queries nothing for later requests', async () => {
    let loads = 0;
    let version = '1.0.0';
    const gate = new AppVersionGate(async () => {
      loads += 1;
      return [minimum(version)];
    });
    for (const _ of [1, 2, 3]) expect(await outcomeOf(gate, 'ANDROID/stable/1.5.0')).toBe('ok');
    expect(loads).toBe(1);
    version = '2.0.0';
    await gate.reload();
    expect(await outcomeOf(gate, 'ANDROID/stable/1.5.0')).toBe('APP_VERSION_UNSUPPORTED');
  });

  test('accepts all apps while the minimum versions cannot be read', async () => {
    const gate = new AppVersionGate(() => Promise.reject(new Error('userctx does not respond')));
    expect(await outcomeOf(gate, 'ANDROID/stable/0.0.1')).toBe('ok');
  });
});

describe('RefreshedValue', () => {
  test('concurrent callers share the first load; an old value is returned while it is loaded again', async () => {
    let [now, loads] = [0, 0];
    const value = new RefreshedValue(
      async () => (loads += 1),
      100,
      () => now,
    );
    expect(await Promise.all([value.get(), value.get()])).toEqual([1, 1]);
    now = 101;
    expect([await value.get(), await value.get()]).toEqual([1, 2]);
    expect(loads).toBe(2);
  });

  test('after a failed first load, callers get its error without waiting for the next load', async () => {
    let now = 0;
    const loads: PromiseWithResolvers<number>[] = [];
    const value = new RefreshedValue(
      () => {
        const load = Promise.withResolvers<number>();
        loads.push(load);
        return load.promise;
      },
      30_000,
      () => now,
    );
    const first = value.get();
    loads[0]?.reject(new Error('unavailable'));
    await expect(first).rejects.toThrow('unavailable');
    for (const _ of [1, 2, 3]) await expect(value.get()).rejects.toThrow('unavailable');
    expect(loads).toHaveLength(2);
    loads[1]?.reject(new Error('unavailable'));
    await new Promise(setImmediate);
    now = 1_001;
    await expect(value.get()).rejects.toThrow('unavailable');
    expect(loads).toHaveLength(3);
    loads[2]?.resolve(7);
    await new Promise(setImmediate);
    expect(await value.get()).toBe(7);
  });

  test('keeps the value when a load fails, and repeats the load after the TTL', async () => {
    let [now, loads] = [0, 0];
    const value = new RefreshedValue(
      async () => {
        loads += 1;
        if (loads === 2) throw new Error('unavailable');
        return loads;
      },
      100,
      () => now,
    );
    await value.get();
    now = 101;
    await value.get();
    await Promise.resolve();
    expect([await value.get(), loads]).toEqual([1, 2]);
    now = 202;
    await value.get();
    expect(await value.get()).toBe(3);
  });
});
