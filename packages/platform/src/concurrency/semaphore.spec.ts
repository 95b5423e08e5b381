import { beforeEach, describe, expect, test } from '@jest/globals';
import { Semaphore } from './semaphore.js';

const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Starts a task that runs until the test calls `end`. */
function startTask(semaphore: Semaphore<'first' | 'second'>, taskClass: 'first' | 'second', started: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const result = semaphore.run(taskClass, async () => {
    started.push(taskClass);
    await ended;
  });
  return { end, result };
}

describe('Semaphore', () => {
  test('limits concurrent tasks, starts them in order and returns their results', async () => {
    const semaphore = new Semaphore({ task: { running: 3 } });
    const started: number[] = [];
    let running = 0;
    let maxRunning = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        semaphore.run('task', async () => {
          started.push(index);
          running += 1;
          maxRunning = Math.max(maxRunning, running);
          await pause();
          running -= 1;
          return index;
        }),
      ),
    );
    expect(maxRunning).toBe(3);
    expect(started).toEqual(results);
  });

  test('starts the next task after a task has failed', async () => {
    const semaphore = new Semaphore({ task: { running: 1 } });
    const failing = semaphore.run('task', () => Promise.reject(new Error('no')));
    const after = semaphore.run('task', async () => 'in');
    await expect(failing).rejects.toThrow('no');
    expect(await after).toBe('in');
    expect(await semaphore.run('task', async () => 'again')).toBe('again');
  });

  test('leaves the slots beyond the limit of a class to the classes before it, which start first', async () => {
    const semaphore = new Semaphore({ first: { running: 2 }, second: { running: 1 } });
    const started: string[] = [];
    const tasks = (['second', 'second', 'first', 'first'] as const).map((name) => startTask(semaphore, name, started));
    await pause();
    expect(started).toEqual(['second', 'first']);
    tasks[0]?.end();
    await pause();
    expect(started).toEqual(['second', 'first', 'first']);
    for (const { end } of tasks) end();
    await Promise.all(tasks.map(({ result }) => result));
    expect(started).toEqual(['second', 'first', 'first', 'second']);
  });

  test('rejects a task with OVERLOADED when too many tasks of its class wait, and accepts other classes', async () => {
    const semaphore = new Semaphore({ first: { running: 1 }, second: { running: 1, waiting: 1 } });
    const started: string[] = [];
    const tasks = (['first', 'second', 'first'] as const).map((name) => startTask(semaphore, name, started));
    await expect(semaphore.acquire('second')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
    for (const { end } of tasks) end();
    await Promise.all(tasks.map(({ result }) => result));
    expect(started).toEqual(['first', 'first', 'second']);
  });

  test('rejects a task after its timeout, and starts the next task when a slot becomes free', async () => {
    const semaphore = new Semaphore({ task: { running: 1 } });
    const release = await semaphore.acquire('task');
    await expect(semaphore.acquire('task', { ms: 1, error: () => new Error('too late') })).rejects.toThrow('too late');
    const next = semaphore.run('task', async () => 'in');
    release();
    release();
    expect(await next).toBe('in');
  });

  test('leaves reserved slots to their class, whatever runs and waits in the classes before it', async () => {
    const semaphore = new Semaphore({ first: { running: 3 }, second: { running: 2, reserved: 1 } });
    const started: string[] = [];
    const tasks = Array.from({ length: 4 }, () => startTask(semaphore, 'first', started));
    await pause();
    expect(started).toEqual(['first', 'first']);
    tasks.push(startTask(semaphore, 'second', started), startTask(semaphore, 'second', started));
    await pause();
    expect(started).toEqual(['first', 'first', 'second']);
    tasks[4]?.end();
    await pause();
    expect(started).toEqual(['first', 'first', 'second', 'second']);
    for (const { end } of tasks) end();
    await Promise.all(tasks.map(({ result }) => result));
    expect(semaphore.isIdle).toBe(true);
  });

  describe('with owners', () => {
    const limits = { running: 3, perOwner: { running: 2, waiting: 3 } };
    let semaphore: Semaphore<'task'>;
    let started: string[];
    let ends: (() => void)[];

    beforeEach(() => {
      semaphore = new Semaphore({ task: limits });
      started = [];
      ends = [];
    });

    const start = (owner?: string) =>
      semaphore.run(
        'task',
        () => {
          started.push(owner ?? 'nobody');
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        { owner },
      );

    async function endAll(tasks: Promise<void>[]): Promise<void> {
      for (let index = 0; index < tasks.length; index += 1) {
        ends[index]?.();
        await pause();
      }
      await Promise.all(tasks);
    }

    test('runs at most the permitted tasks of one owner, and those of others meanwhile', async () => {
      const tasks = [start('a'), start('a'), start('a'), start('b')];
      await pause();
      expect(started).toEqual(['a', 'a', 'b']);
      await endAll(tasks);
      expect(started).toEqual(['a', 'a', 'b', 'a']);
    });

    test('starts the tasks of an owner with many tasks after those of others', async () => {
      const tasks = ['a', 'a', 'b', 'a', 'a', 'a', 'c', 'b', 'c'].map((owner) => start(owner));
      await pause();
      await endAll(tasks);
      expect(started).toEqual(['a', 'a', 'b', 'c', 'b', 'c', 'a', 'a', 'a']);
    });

    test('starts the task of an owner without recent tasks next, however many owners always have waiting tasks', async () => {
      const owners = Array.from({ length: 20 }, (_, index) => `busy ${index}`);
      const tasks = [...owners, ...owners, ...owners].map((owner) => start(owner));
      for (let index = 0; index < 40; index += 1) {
        await pause();
        ends[index]?.();
      }
      const startedBefore = started.length;
      tasks.push(start('quiet'));
      await endAll(tasks);
      expect(started.indexOf('quiet') - startedBefore).toBeLessThanOrEqual(1);
      expect(started).toHaveLength(61);
    });

    test('does not let an owner wait for ever while owners without recent tasks arrive', async () => {
      const tasks = ['a', 'a', 'a', 'x', 'a'].map((owner) => start(owner));
      let arrived = 0;
      // Each waiting task is followed by one of another owner.
      while (started.filter((owner) => owner === 'a').length < 4) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        tasks.push(start(`new ${arrived}`), start(`also new ${arrived}`));
        ends[arrived]?.();
        arrived += 1;
      }
      expect(arrived).toBeGreaterThan(2);
      await endAll(tasks);
    });

    test('starts the tasks of busy owners after those of owners with fewer recent tasks', async () => {
      const tasks = ['a', 'a', 'b', 'a', 'b', 'c', 'd', 'e', 'f'].map((owner) => start(owner));
      await pause();
      await endAll(tasks);
      expect(started).toEqual(['a', 'a', 'b', 'c', 'd', 'e', 'f', 'b', 'a']);
    });

    test('rejects a task with TOO_MANY_CONCURRENT_REQUESTS when too many tasks of its owner wait', async () => {
      const tasks = Array.from({ length: 5 }, () => start('a'));
      await expect(start('a')).rejects.toMatchObject({ reason: 'TOO_MANY_CONCURRENT_REQUESTS', retryAfter: 2 });
      expect(() => semaphore.assertAccepting('task', 'a')).toThrow();
      semaphore.assertAccepting('task', 'b');
      tasks.push(start('b'), start());
      await pause();
      await endAll(tasks);
      expect(started.filter((owner) => owner !== 'a').sort()).toEqual(['b', 'nobody']);
    });

    test('accepts an owner of whom no task waits beyond the maximum of the class, up to its double', async () => {
      semaphore = new Semaphore({ task: { running: 1, waiting: 2, perOwner: { running: 1, waiting: 5 } } });
      const tasks = [start('a'), start('a'), start('a')];
      await expect(start('a')).rejects.toMatchObject({ reason: 'OVERLOADED' });
      tasks.push(start('b'), start('c'));
      await expect(start('d')).rejects.toMatchObject({ reason: 'OVERLOADED', retryAfter: 2 });
      await pause();
      await endAll(tasks);
      expect(started).toEqual(['a', 'b', 'c', 'a', 'a']);
    });

    test('says after a timeout whether the task waited for its owner or for others', async () => {
      const tasks = [start('a'), start('a'), start('b')];
      const waitOf = (owner: string) =>
        semaphore.acquire('task', { owner, ms: 1, error: (cause) => new Error(`waited for ${cause}`) });
      await expect(waitOf('a')).rejects.toThrow('waited for owner');
      await expect(waitOf('b')).rejects.toThrow('waited for others');
      await endAll(tasks);
      expect(semaphore.isIdle).toBe(true);
    });

    test('does not limit tasks without an owner', async () => {
      const tasks = [start(), start(), start()];
      await pause();
      expect(started).toHaveLength(3);
      expect(semaphore.tryAcquire('task')).toBeUndefined();
      await endAll(tasks);
      semaphore.tryAcquire('task')?.();
    });
  });
});
