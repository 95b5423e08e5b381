import { expect, test } from '@jest/globals';
import { DirectorySync } from './file-system.js';

/** Creates a DirectorySync whose syncs complete only when the test completes them. */
function createControlledSync() {
  const started: { path: string; complete: () => void; fail: (error: Error) => void }[] = [];
  const directories = new DirectorySync(
    (path) => new Promise((resolve, reject) => void started.push({ path, complete: resolve, fail: reject })),
  );
  return { started, directories };
}

const flushPromises = () => new Promise((resolve) => setImmediate(resolve));

test('callers that arrive during a running sync of their directory share the next sync', async () => {
  const { started, directories } = createControlledSync();
  const done: number[] = [];
  const waiting = [0, 1, 2].map((index) => directories.sync('a').then(() => done.push(index)));
  await flushPromises();
  expect(started).toHaveLength(1);
  started[0]?.complete();
  await flushPromises();
  expect(done).toEqual([0]);
  expect(started).toHaveLength(2);
  started[1]?.complete();
  await Promise.all(waiting);
  expect(started).toHaveLength(2);
  const again = directories.sync('a');
  expect(started).toHaveLength(3);
  started[2]?.complete();
  await again;
});

test('DirectorySync syncs different directories concurrently', async () => {
  const { started, directories } = createControlledSync();
  void directories.sync('a');
  const other = directories.sync('b');
  expect(started.map(({ path }) => path)).toEqual(['a', 'b']);
  started[1]?.complete();
  await other;
});

test('a failed sync rejects the calls that wait for it, and no calls that wait for the next sync', async () => {
  const { started, directories } = createControlledSync();
  const first = directories.sync('a');
  const second = directories.sync('a');
  started[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await flushPromises();
  started[1]?.complete();
  await second;
});
