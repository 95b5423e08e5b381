import { describe, expect, test } from '@jest/globals';
import { nextUpload, totalProgress, uploadReducer, type QueuedUpload, type UploadAction } from './upload-state.js';

const added: UploadAction = {
  type: 'added',
  uploads: [
    { id: 'a', cloudID: 'c', file: { size: 100 } as File },
    { id: 'b', cloudID: 'c', file: { size: 300 } as File },
    { id: 'c', cloudID: 'c', file: { size: 0 } as File },
  ],
};
const outcomesAfter = (uploads: readonly QueuedUpload[], ...actions: UploadAction[]) =>
  actions.reduce<readonly QueuedUpload[]>(uploadReducer, uploads);
const apply = (...actions: UploadAction[]) => outcomesAfter([], ...actions);

describe('nextUpload', () => {
  test('returns files in the order in which they were chosen, two at a time', () => {
    expect(nextUpload(apply(added))?.id).toBe('a');
    expect(nextUpload(apply(added, { type: 'started', id: 'a' }))?.id).toBe('b');
    expect(nextUpload(apply(added, { type: 'started', id: 'a' }, { type: 'started', id: 'b' }))).toBeUndefined();
  });

  test('continues after a failure, and begins a file again when the person asks', () => {
    const failed = apply(added, { type: 'started', id: 'a' }, { type: 'failed', id: 'a', error: new Error() });
    expect(nextUpload(failed)?.id).toBe('b');
    expect(nextUpload(uploadReducer(failed, { type: 'retried', id: 'a' }))?.id).toBe('a');
  });
});

test('totalProgress weighs files by their size', () => {
  expect(totalProgress(apply(added, { type: 'done', id: 'a' }, { type: 'progressed', id: 'b', progress: 0.5 }))).toBe(
    250 / 400,
  );
});

test('cleared hides only finished files', () => {
  const failed = apply(added, { type: 'done', id: 'a' }, { type: 'failed', id: 'b', error: 1 });
  const rest = outcomesAfter(failed, { type: 'known', id: 'c' }, { type: 'cleared' });
  expect(rest.map(({ id }) => id)).toEqual(['b']);
});
