import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { MediaGrantMonitor } from './media-grant-monitor.js';
import { GrantedMediaService } from './granted-media.service.js';
import type { MediaGrantRepository } from './media-grant.repository.js';
import type { SharedContent } from './shared-content.js';

/** As many requests of one family as wait at a time. */
const MOST = 16;

function watchIn(cloudID: string): CloudActor {
  return { cloudID, cid: 'child', principal: 'watch:1' } as unknown as CloudActor;
}

test('the watches of one family do not take the places of others', async () => {
  const granted = new Set<string>();
  const repository = {
    isKnown: () => Promise.resolve(false),
    findOpened: (contentId: string) =>
      Promise.resolve(granted.has(contentId) ? ({ contentId, mediaType: 'image/jpeg' } as SharedContent) : undefined),
  };
  const arrivals = new MediaGrantMonitor();
  const media = new GrantedMediaService(repository as unknown as MediaGrantRepository, arrivals);
  const [many, late, other] = [Array.from({ length: MOST }, () => randomUUID()), randomUUID(), randomUUID()];
  const waiting = many.map((contentId) => media.findAfterWait(watchIn('many'), contentId));
  await new Promise(setImmediate);
  const arrive = async (ids: string[]) => {
    await new Promise(setImmediate);
    for (const id of ids) granted.add(id);
    arrivals.recordGrants(ids);
  };
  const [refused] = await Promise.all([media.findAfterWait(watchIn('many'), late), arrive([late])]);
  expect(refused).toBeUndefined();
  const [found] = await Promise.all([media.findAfterWait(watchIn('other'), other), arrive([other])]);
  expect(found?.contentId).toBe(other);
  await arrive(many);
  expect((await Promise.all(waiting)).map((content) => content?.contentId)).toEqual(many);
});
