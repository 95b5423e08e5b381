import { expect, jest, test } from '@jest/globals';
import type { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { RenditionNotifier } from './rendition-waits.js';
import type { RenditionRepository } from './rendition.repository.js';
import { RenditionService } from './rendition.service.js';

const CALLER_COUNT = 500;
/** Maximum number of renditions that are waited for concurrently. */
const MAX_WAITS = 256;
/** Maximum number of renditions of one cloud that are waited for concurrently. */
const MAX_WAITS_PER_CLOUD = 32;
const RENDITION = { blobKey: 'made', mediaType: 'image/jpeg', size: 1, digest: 'x' };

function createService() {
  const ready = new Map<string, typeof RENDITION>();
  const repository = {
    findReady: jest.fn(([key = '']: readonly string[]) =>
      Promise.resolve(new Map([...ready].filter(([source]) => source === key))),
    ),
    // In this suite, the key of a blob begins with the id of its cloud, followed by a space.
    findState: jest.fn((key: string) =>
      Promise.resolve({ state: ready.has(key) ? 'READY' : 'WAITING', cloudId: key.split(' ')[0] }),
    ),
    request: jest.fn<RenditionRepository['request']>(() => Promise.resolve()),
  };
  const notifier = new RenditionNotifier();
  const service = new RenditionService(repository as unknown as RenditionRepository, notifier, {} as McdiskUnitOfWork);
  return { ready, repository, notifier, service };
}

test('concurrent findOrGenerate calls for the same rendition create one request', async () => {
  const { ready, repository, notifier, service } = createService();
  const pending = Array.from({ length: CALLER_COUNT }, () => service.findOrGenerate('source', 'SHARED'));
  await new Promise(setImmediate);
  ready.set('source', RENDITION);
  notifier.notifyCompleted();
  expect(new Set(await Promise.all(pending))).toEqual(new Set([RENDITION]));
  expect(repository.request).toHaveBeenCalledTimes(1);
  expect(repository.findState.mock.calls.length).toBeLessThan(CALLER_COUNT);
});

test('findOrGenerate waits for at most 256 renditions, and requests further renditions without waiting', async () => {
  const { ready, repository, notifier, service } = createService();
  const keys = Array.from({ length: MAX_WAITS }, (_, index) => `cloud-${index % 16} ${index}`);
  const waiting = keys.map((key) => service.findOrGenerate(key, 'SHARED'));
  await new Promise(setImmediate);
  expect(await service.findOrGenerate('one more', 'SHARED')).toBeUndefined();
  expect(repository.request).toHaveBeenCalledWith(['one more'], 'SHARED', 0);
  for (const key of [...keys, 'one more']) ready.set(key, RENDITION);
  notifier.notifyCompleted();
  expect(await Promise.all(waiting)).toEqual(keys.map(() => RENDITION));
  expect(await service.findOrGenerate('one more', 'SHARED')).toBe(RENDITION);
});

test('calls that wait for renditions of one cloud cannot use up the wait slots of other clouds', async () => {
  const { ready, notifier, service } = createService();
  const many = Array.from({ length: MAX_WAITS_PER_CLOUD }, (_, index) => `many ${index}`);
  const waiting = [...many, 'other 1'].map((key) => service.findOrGenerate(key, 'SHARED'));
  await new Promise(setImmediate);
  expect(await service.findOrGenerate('many more', 'SHARED')).toBeUndefined();
  for (const key of [...many, 'other 1', 'many more']) ready.set(key, RENDITION);
  notifier.notifyCompleted();
  expect(await Promise.all(waiting)).toEqual([...many, 'other 1'].map(() => RENDITION));
  // The wait slots have been released, so the cloud can use them again.
  ready.clear();
  const repeated = service.findOrGenerate('many 1', 'SHARED');
  await new Promise(setImmediate);
  ready.set('many 1', RENDITION);
  notifier.notifyCompleted();
  expect(await repeated).toBe(RENDITION);
});
