import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { runAs } from '@family-watch/platform/concurrency/work-priority';
import { PasswordHasher, PasswordStrength } from './passwords.js';

let running = 0;
let maxRunning = 0;
const finishCallbacks: (() => void)[] = [];

async function finishLater<Result>(result: Result): Promise<Result> {
  running += 1;
  maxRunning = Math.max(maxRunning, running);
  await new Promise<void>((resolve) => finishCallbacks.push(resolve));
  running -= 1;
  return result;
}

/** A hasher whose hashes finish when the test resolves them. */
class SlowHasher extends PasswordHasher {
  protected override compute(password: string): Promise<string> {
    return finishLater(`hash of ${password}`);
  }

  protected override compare(passwordHash: string, password: string): Promise<boolean> {
    return finishLater(passwordHash === `hash of ${password}`);
  }
}

const refuseRenewal = () => Promise.reject(new Error('The hash needs no renewal'));

/** Finishes hashes one after the other until none is left. */
async function finishAll(): Promise<void> {
  for (let idle = 0; idle < 3;) {
    const next = finishCallbacks.shift();
    next?.();
    idle = next ? 0 : idle + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('PasswordHasher', () => {
  test('runs two hashes concurrently, queues 64 and rejects the next one', async () => {
    const hasher = new SlowHasher();
    maxRunning = 0;
    const accepted = Array.from({ length: 66 }, (_, index) => hasher.hash(String(index)));
    await expect(hasher.hash('one too many')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    await finishAll();
    expect(await Promise.all(accepted)).toEqual(Array.from({ length: 66 }, (_, index) => `hash of ${index}`));
    expect(maxRunning).toBe(2);
    expect(running).toBe(0);
  });

  test('compares one password at a time for unknown callers, queues 32, and never delays known callers', async () => {
    const hasher = new SlowHasher();
    maxRunning = 0;
    const order: string[] = [];
    const compare = (name: string, caller: 'known' | 'unknown') =>
      hasher.matches('a', 'hash of a', caller, refuseRenewal).then(() => order.push(name));
    const strangers = Array.from({ length: 33 }, () => compare('unknown', 'unknown'));
    await expect(compare('one too many', 'unknown')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    expect(running).toBe(1);
    const parents = [compare('known', 'known'), compare('known', 'known')];
    await finishAll();
    await Promise.all([...strangers, ...parents]);
    expect(order.slice(0, 3).toSorted()).toEqual(['known', 'known', 'unknown']);
    expect(maxRunning).toBe(2);
  });

  test('A37 rejects a caller of whom 16 hashes wait, and accepts other callers', async () => {
    const hasher = new SlowHasher();
    const hashFor = (owner: string) => runAs('caller', () => hasher.hash(owner), owner);
    const flood = Array.from({ length: 17 }, () => hashFor('user:a'));
    await expect(hashFor('user:a')).rejects.toMatchObject({ reason: 'TOO_MANY_CONCURRENT_REQUESTS' });
    const other = hashFor('user:b');
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(2);
    await finishAll();
    await Promise.all([...flood, other]);
  });

  test('compares with a dummy hash when the account has no hash, and never reports a match', async () => {
    const hasher = new SlowHasher();
    const [known, unknown] = [
      hasher.matches('a', 'hash of a', 'known', refuseRenewal),
      hasher.matches('a', null, 'known', refuseRenewal),
    ];
    await finishAll();
    expect(await known).toBe(true);
    expect(await unknown).toBe(false);
  });
});

describe('PasswordHasher with passwords of several normalization forms', () => {
  /** A hasher whose hashes and comparisons take no time. */
  class FastHasher extends PasswordHasher {
    readonly compared: string[] = [];

    protected override compute(password: string): Promise<string> {
      return Promise.resolve(`hash of ${password}`);
    }

    protected override compare(passwordHash: string, password: string): Promise<boolean> {
      this.compared.push(password);
      return Promise.resolve(passwordHash === `hash of ${password}`);
    }
  }

  test.each(['Müsli-41-Größe', '비밀번호 41 나무', 'zebra\u00a0piano 41', 'ﬁnch-②-rain'])(
    'accepts %s in each form in which a device sends it',
    async (password) => {
      const hasher = new FastHasher();
      for (const stored of [password, password.normalize('NFD')]) {
        const hash = await hasher.hash(stored);
        for (const sent of ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => password.normalize(form)))
          expect(await hasher.matches(sent, hash, 'known', refuseRenewal)).toBe(true);
      }
    },
  );

  test('accepts the form of which an earlier build has stored the hash, and renews this hash', async () => {
    const hasher = new FastHasher();
    const typed = 'Müsli'.normalize('NFD');
    const renewed: string[] = [];
    const renew = async (hash: string) => void renewed.push(hash);
    expect(await hasher.matches(typed, `hash of ${typed}`, 'known', renew)).toBe(true);
    expect(renewed).toEqual([`hash of ${'Müsli'.normalize('NFC')}`]);
    expect(await hasher.matches(typed, renewed[0]!, 'known', refuseRenewal)).toBe(true);
  });

  test.each([
    ['wrong', ['wrong']],
    ['wröng'.normalize('NFD'), ['wröng'.normalize('NFC'), 'wröng'.normalize('NFD')]],
  ])('A21 makes as many comparisons with %s for an unknown account as for a known one', async (password, expected) => {
    for (const hash of ['hash of a', null]) {
      const hasher = new FastHasher();
      expect(await hasher.matches(password, hash, 'unknown', refuseRenewal)).toBe(false);
      expect(hasher.compared).toEqual(expected);
    }
  });
});

describe('PasswordStrength', () => {
  const strength = new PasswordStrength();

  test.each([
    '12345678',
    '123456789',
    'password',
    'Passw0rd!',
    'qwertyuiop',
    'iloveyou1',
    'aaaaaaaaaaaa',
    'familywatch1',
    'abcd1234',
    '20150601',
  ])('rejects the weak password %s', async (password) => {
    await expect(strength.assertStrong(password)).rejects.toThrow(new ServiceError('PASSWORD_TOO_WEAK'));
  });

  test('rejects the phone number and the nickname of the person as passwords', async () => {
    await expect(strength.assertStrong('13912345678', ['13912345678'])).rejects.toThrow(
      new ServiceError('PASSWORD_TOO_WEAK'),
    );
    await expect(strength.assertStrong('Bartholomaeus', ['Bartholomaeus'])).rejects.toThrow(
      new ServiceError('PASSWORD_TOO_WEAK'),
    );
  });

  test.each(['zebra-piano-41-rain', 'correct horse battery', 'k7#mQz9w', 'x'.repeat(20) + 'Kü7-blau'])(
    'accepts the strong password %s',
    async (password) => {
      await expect(strength.assertStrong(password)).resolves.toBeUndefined();
    },
  );
});
