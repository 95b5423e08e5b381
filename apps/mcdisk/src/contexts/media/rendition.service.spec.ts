import { expect, jest, test } from '@jest/globals';
import type { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { RenditionNotifier } from './rendition-notifier.js';
import type { RenditionRepository } from './rendition.repository.js';
import { RenditionService } from './rendition.service.js';
import type { CaptureTimeRepository } from './capture-time.repository.js';

const ASKERS = 500;
/** As many different ones as are waited for at a time. */
const MOST = 256;
/** Of these, those of one cloud. */
const MOST_OF_CLOUD = 32;
const RENDITION = { blobKey: 'made', mediaType: 'image/jpeg', size: 1, digest: 'x' };

function serviceOf() {
  const ready = new Map<string, typeof RENDITION>();
  const repository = {
    findReady: jest.fn(([key = '']: readonly string[]) =>
      Promise.resolve(new Map([...ready].filter(([source]) => source === key))),
    ),
    // The first word of a key is its cloud.
    findState: jest.fn((key: string) =>
      Promise.resolve({ state: ready.has(key) ? 'READY' : 'WAITING', cloudId: key.split(' ')[0] }),
    ),
    want: jest.fn<RenditionRepository['request']>(() => Promise.resolve()),
  };
  const bell = new RenditionNotifier();
  const service = new RenditionService(
    repository as unknown as RenditionRepository,
    {} as CaptureTimeRepository,
    bell,
    {} as McdiskUnitOfWork,
  );
  return { ready, repository, bell, service };
}

test('hundreds who ask for the same picture ask the database as one does', async () => {
  const { ready, repository, bell, service } = serviceOf();
  const asked = Array.from({ length: ASKERS }, () => service.findOrGenerate('source', 'SHARED'));
  await new Promise(setImmediate);
  ready.set('source', RENDITION);
  bell.notifyCompleted();
  expect(new Set(await Promise.all(asked))).toEqual(new Set([RENDITION]));
  expect(repository.want).toHaveBeenCalledTimes(1);
  expect(repository.findState.mock.calls.length).toBeLessThan(ASKERS);
});

test('only so many are waited for at a time; what is wanted beyond is made all the same', async () => {
  const { ready, repository, bell, service } = serviceOf();
  const keys = Array.from({ length: MOST }, (_, index) => `cloud-${index % 16} ${index}`);
  const waiting = keys.map((key) => service.findOrGenerate(key, 'SHARED'));
  await new Promise(setImmediate);
  expect(await service.findOrGenerate('one more', 'SHARED')).toBeUndefined();
  expect(repository.want).toHaveBeenCalledWith(['one more'], 'SHARED', 0);
  for (const key of [...keys, 'one more']) ready.set(key, RENDITION);
  bell.notifyCompleted();
  expect(await Promise.all(waiting)).toEqual(keys.map(() => RENDITION));
  expect(await service.findOrGenerate('one more', 'SHARED')).toBe(RENDITION);
});

test('one cloud does not take the places of others', async () => {
  const { ready, bell, service } = serviceOf();
  const many = Array.from({ length: MOST_OF_CLOUD }, (_, index) => `many ${index}`);
  const waiting = [...many, 'other 1'].map((key) => service.findOrGenerate(key, 'SHARED'));
  await new Promise(setImmediate);
  expect(await service.findOrGenerate('many more', 'SHARED')).toBeUndefined();
  for (const key of [...many, 'other 1', 'many more']) ready.set(key, RENDITION);
  bell.notifyCompleted();
  expect(await Promise.all(waiting)).toEqual([...many, 'other 1'].map(() => RENDITION));
  // Places are given back.
  ready.clear();
  const again = service.findOrGenerate('many 1', 'SHARED');
  await new Promise(setImmediate);
  ready.set('many 1', RENDITION);
  bell.notifyCompleted();
  expect(await again).toBe(RENDITION);
});
