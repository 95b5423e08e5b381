import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { McdiskProjections } from '../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { MediaGrantMonitor, GrantedMediaService } from './granted-media.service.js';
import type { MediaGrantRepository } from './media-grant.repository.js';
import type { ReadableContent } from '../clouds/content-columns.js';

/** Maximum number of waiting requests per family. */
const MAX_WAITERS_PER_FAMILY = 16;

function watchIn(cloudId: string): CloudActor {
  return { cloudId, cid: 'child', principal: 'watch:1' } as unknown as CloudActor;
}

test('the watches of one family cannot use up the wait slots of other families', async () => {
  const grantedIds = new Set<string>();
  const repository = {
    contentExistsInCloud: () => Promise.resolve(false),
    findGrantedContent: (contentId: string) =>
      Promise.resolve(
        grantedIds.has(contentId) ? ({ contentId, mediaType: 'image/jpeg' } as ReadableContent) : undefined,
      ),
  };
  const monitor = new MediaGrantMonitor();
  const media = new GrantedMediaService(repository as unknown as MediaGrantRepository, monitor, {
    assertKnown: () => undefined,
  } as unknown as McdiskProjections);
  const [many, late, other] = [
    Array.from({ length: MAX_WAITERS_PER_FAMILY }, () => randomUUID()),
    randomUUID(),
    randomUUID(),
  ];
  const waiting = many.map((contentId) => media.findAfterWait(watchIn('many'), contentId));
  await new Promise(setImmediate);
  const grant = async (ids: string[]) => {
    await new Promise(setImmediate);
    for (const id of ids) grantedIds.add(id);
    monitor.recordGrants(ids);
  };
  const [rejected] = await Promise.all([media.findAfterWait(watchIn('many'), late), grant([late])]);
  expect(rejected).toBeUndefined();
  const [found] = await Promise.all([media.findAfterWait(watchIn('other'), other), grant([other])]);
  expect(found?.contentId).toBe(other);
  await grant(many);
  expect((await Promise.all(waiting)).map((content) => content?.contentId)).toEqual(many);
});
