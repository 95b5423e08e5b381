import { describe, expect, it } from '@jest/globals';
import { PasswordHasher } from './password-hasher.js';

let running = 0;
let most = 0;
const finish: (() => void)[] = [];

async function slow<Result>(result: Result): Promise<Result> {
  running += 1;
  most = Math.max(most, running);
  await new Promise<void>((resolve) => finish.push(resolve));
  running -= 1;
  return result;
}

/** Each hash takes until the test ends it. */
class SlowHasher extends PasswordHasher {
  protected override compute(password: string): Promise<string> {
    return slow(`hash of ${password}`);
  }

  protected override compare(passwordHash: string, password: string): Promise<boolean> {
    return slow(passwordHash === `hash of ${password}`);
  }
}

/** Ends hashes one after the other until nothing is left. */
async function finishAll(): Promise<void> {
  for (let idle = 0; idle < 3;) {
    const next = finish.shift();
    next?.();
    idle = next ? 0 : idle + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('PasswordHasher', () => {
  it('runs two at once, keeps 64 waiting and refuses the next', async () => {
    const hasher = new SlowHasher();
    most = 0;
    const accepted = Array.from({ length: 66 }, (_, index) => hasher.hash(String(index)));
    await expect(hasher.hash('one too many')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    await finishAll();
    expect(await Promise.all(accepted)).toEqual(Array.from({ length: 66 }, (_, index) => `hash of ${index}`));
    expect(most).toBe(2);
    expect(running).toBe(0);
  });

  it('compares with a dummy when there is no hash, and never says yes', async () => {
    const hasher = new SlowHasher();
    const [known, unknown] = [hasher.matches('a', 'hash of a'), hasher.matches('a', null)];
    await finishAll();
    expect(await known).toBe(true);
    expect(await unknown).toBe(false);
  });
});
