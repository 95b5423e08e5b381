import { expect, test } from '@jest/globals';
import { DirectorySync } from './directory-sync.js';

/** Syncs that end when they are told to. */
function controlled() {
  const begun: { path: string; end: () => void; fail: (error: Error) => void }[] = [];
  const folders = new DirectorySync(
    (path) => new Promise((resolve, reject) => void begun.push({ path, end: resolve, fail: reject })),
  );
  return { begun, folders };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who comes while a sync runs shares the next one', async () => {
  const { begun, folders } = controlled();
  const done: number[] = [];
  const waiting = [0, 1, 2].map((index) => folders.sync('a').then(() => done.push(index)));
  await settled();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await settled();
  expect(done).toEqual([0]);
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  await Promise.all(waiting);
  expect(begun).toHaveLength(2);
  const again = folders.sync('a');
  expect(begun).toHaveLength(3);
  begun[2]?.end();
  await again;
});

test('folders do not wait for each other', async () => {
  const { begun, folders } = controlled();
  void folders.sync('a');
  const other = folders.sync('b');
  expect(begun.map(({ path }) => path)).toEqual(['a', 'b']);
  begun[1]?.end();
  await other;
});

test('a failure is told to those who waited for it and to nobody else', async () => {
  const { begun, folders } = controlled();
  const first = folders.sync('a');
  const second = folders.sync('a');
  begun[0]?.fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await settled();
  begun[1]?.end();
  await second;
});
