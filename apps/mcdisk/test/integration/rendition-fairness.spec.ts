import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RenditionJob } from '../../src/renditions/rendition.job.js';
import { RenditionRepository } from '../../src/renditions/rendition.repository.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud } from '../support/test-cloud.js';
import { createCornersPicture } from '../support/pictures.js';
import { storeContent } from '../support/stored-content.js';

const LEASE_DURATION = { ms: 60_000, bytesPerMs: 1_000 };
const PICTURE_COUNT = 12;

let server: CloudServer;
let renditionRepository: RenditionRepository;

beforeAll(async () => {
  // The server has no media workers, so that only the test claims renditions.
  server = await CloudServer.start({ MEDIA_WORKERS: 0 });
  renditionRepository = server.get(RenditionRepository);
});
afterAll(() => server.stop());

/** Creates a cloud with `count` pictures whose thumbnails are due at `dueAt`. */
async function createPictures(count: number, dueAt: number): Promise<{ cloudID: string; keys: string[] }> {
  const { cloudID } = await createCloud(server);
  const picture = await createCornersPicture().jpeg().toBuffer();
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { key } = await storeContent(server, cloudID, { bytes: Buffer.concat([picture, randomBytes(16)]) });
    keys.push(key);
  }
  await renditionRepository.request(keys, 'THUMBNAIL', dueAt);
  return { cloudID, keys };
}

test('claim returns renditions that a caller waits for first, and then those of all clouds in turn', async () => {
  const now = Date.now();
  const many = await createPictures(PICTURE_COUNT, now - 1_000);
  const [one, other] = [await createPictures(1, now - 10), await createPictures(2, now - 5)];
  const awaited = await createPictures(1, 0);
  const claimedClouds: string[] = [];
  for (let after: string = randomUUID(); ; after = claimedClouds.at(-1) ?? after) {
    const lease = await renditionRepository.claim(now, { holder: randomUUID(), afterCloudId: after }, LEASE_DURATION);
    if (!lease) break;
    claimedClouds.push(lease.cloudId);
  }
  expect(claimedClouds[0]).toBe(awaited.cloudID);
  expect(new Set(claimedClouds.slice(1, 4))).toEqual(new Set([many.cloudID, one.cloudID, other.cloudID]));
  expect(claimedClouds.slice(4, 6)).toContain(other.cloudID);
  expect(claimedClouds.slice(6)).toEqual(Array.from({ length: PICTURE_COUNT - 2 }, () => many.cloudID));
  await server.query(`UPDATE mcdisk.rendition SET state = 'FAILED'`);
});

test('one picture of a family does not wait for the many pictures of another family', async () => {
  const many = await createPictures(PICTURE_COUNT, Date.now() - 1_000);
  const one = await createPictures(1, Date.now());
  const node = await CloudServer.open(server.shared, undefined, { MEDIA_WORKERS: 1 });
  try {
    await node.get(RenditionJob).run();
  } finally {
    await node.stop();
  }
  const finished = await server.query<{ key: string }>(
    `SELECT r.source_key AS key FROM mcdisk.rendition r JOIN mcdisk.blob made USING (blob_key)
      WHERE r.state = 'READY' ORDER BY made.state_since`,
  );
  expect(finished.map(({ key }) => key).toSorted()).toEqual([...many.keys, ...one.keys].toSorted());
  expect(finished.slice(0, 3).map(({ key }) => key)).toContain(one.keys[0]);
});
