import { describe, expect, test } from '@jest/globals';
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
});
