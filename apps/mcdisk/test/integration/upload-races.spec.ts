import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { findStoredKeys } from '../support/stored-content.js';
import { putBytes, type CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { expectUsageConsistent } from '../support/seeded-cloud.js';
import { createCloud } from '../support/test-cloud.js';
import { deleteUpload, headUpload, offsetOf, openPatch, patchUpload } from '../support/tus-requests.js';

const MINUTE_MS = 60_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const LARGE_FILE_BYTES = 1_200_000;

const actionArbitrary = <Kind extends string>(kind: Kind, bytes: fc.Arbitrary<number> = fc.constant(0)) =>
  fc.record({ kind: fc.constant(kind), bytes });

/** An action of one client on an upload. */
const ACTION_ARBITRARY = fc.oneof(
  { weight: 4, arbitrary: actionArbitrary('append', fc.integer({ min: 1, max: 700_000 })) },
  { weight: 2, arbitrary: actionArbitrary('abortConnection', fc.integer({ min: 1, max: 400_000 })) },
  { weight: 3, arbitrary: actionArbitrary('put') },
  { weight: 1, arbitrary: actionArbitrary('wrongSize') },
  { weight: 1, arbitrary: actionArbitrary('head') },
  { weight: 1, arbitrary: actionArbitrary('abort') },
  { weight: 1, arbitrary: actionArbitrary('delete upload') },
  { weight: 1, arbitrary: actionArbitrary('expire') },
  { weight: 1, arbitrary: actionArbitrary('delete') },
);
type ClientAction = typeof ACTION_ARBITRARY extends fc.Arbitrary<infer Value> ? Value : never;

const SCENARIO_ARBITRARY = fc.record({
  size: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constant(LARGE_FILE_BYTES)),
  hasDigest: fc.boolean(),
  isDuplicate: fc.boolean(),
  clients: fc.array(fc.array(ACTION_ARBITRARY, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
});

type UploadInProgress = Awaited<ReturnType<CloudClient['announceFile']>> & { bytes: Buffer };

/** Runs two nodes, with several clients per upload and any order of their actions. */
describe('concurrent operations on uploads', () => {
  let first: CloudServer;
  let second: CloudServer;

  beforeAll(async () => {
    first = await CloudServer.start();
    second = await CloudServer.startSecondNode(first);
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  test('the usage is consistent and every content has all its bytes after any sequence of operations', async () => {
    const duplicateBytes = randomBytes(3_000);
    await fc.assert(
      fc.asyncProperty(fc.array(SCENARIO_ARBITRARY, { minLength: 1, maxLength: 4 }), async (scenarios) => {
        const { cloudID, owner } = await createCloud(first);
        await owner.uploadFile(cloudID, 'duplicateBytes', duplicateBytes);
        await Promise.all(
          scenarios.map(async ({ size, hasDigest, isDuplicate, clients }) => {
            const bytes = isDuplicate ? duplicateBytes : randomBytes(size);
            const digest = hasDigest ? sha256(bytes) : undefined;
            const upload = { bytes, ...(await owner.announceFile(cloudID, bytes.length, digest)) };
            if (upload.tusURL === '') return;
            await Promise.all(
              clients.map(async (actions, index) => {
                const url = (index % 2 === 0 ? first : second).url;
                const ownUpload = {
                  ...upload,
                  uploadURL: replaceOrigin(url, upload.uploadURL),
                  tusURL: replaceOrigin(url, upload.tusURL),
                };
                for (const action of actions) await performAction(owner, cloudID, ownUpload, action);
              }),
            );
          }),
        );
        await expectConsistent(owner, cloudID);
      }),
      { numRuns: propertyRuns(5) },
    );
  });

  async function performAction(
    owner: CloudClient,
    cloudID: string,
    upload: UploadInProgress,
    { kind, bytes: count }: ClientAction,
  ): Promise<void> {
    const { bytes, contentID, uploadTaskID, uploadURL, tusURL } = upload;
    const nextPart = async () => {
      const offset = await offsetOf(tusURL);
      return { offset, part: bytes.subarray(offset, offset + count) };
    };
    switch (kind) {
      case 'append': {
        const { offset, part } = await nextPart();
        await patchUpload(tusURL, offset, part);
        return;
      }
      case 'abortConnection': {
        const { offset, part } = await nextPart();
        const patch = openPatch(tusURL, offset, bytes.length - offset, part);
        await headUpload(tusURL);
        patch.abort();
        return;
      }
      case 'put':
        await putBytes(uploadURL, bytes);
        return;
      case 'wrongSize':
        await putBytes(uploadURL, Buffer.concat([bytes, Buffer.from('!')]));
        return;
      case 'head':
        await headUpload(tusURL);
        return;
      case 'abort':
        await owner.post('abortUpload', { cloudID, uploadTaskID });
        return;
      case 'delete upload':
        await deleteUpload(tusURL);
        return;
      case 'expire':
        await second.uploadTermination.expire(Date.now() + 6 * MINUTE_MS);
        return;
      case 'delete':
        await owner.delete(cloudID, [contentID]);
    }
  }

  async function expectConsistent(owner: CloudClient, cloudID: string): Promise<void> {
    await waitFor(async () => {
      const leases = await first.query(
        `SELECT FROM mcdisk.upload WHERE cloud_id = $1 AND lock_holder IS NOT NULL AND lock_until > $2
            AND state IN ('PENDING', 'RECEIVING')`,
        [cloudID, Date.now()],
      );
      expect(leases).toHaveLength(0);
    });
    await waitFor(() => expectUsageConsistent(first, cloudID));
    const { cloudContentList } = await owner.list(cloudID, { pageInfo: { pageNum: 1, pageSize: 200 } });
    for (const { contentID } of cloudContentList) {
      const response = await fetch(await owner.createDownloadUrl(cloudID, contentID));
      const [row] = await first.query<{ digest: string }>('SELECT digest FROM mcdisk.content WHERE content_id = $1', [
        contentID,
      ]);
      expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(row?.digest);
    }
    // A day later no quota is reserved, and no unreferenced bytes remain.
    await first.uploadTermination.expire(Date.now() + 25 * 60 * MINUTE_MS);
    expect((await first.findSizes(cloudID)).reservedSize).toBe(0);
    await waitFor(async () => expect(await findInconsistentKeys(cloudID)).toEqual([]));
  }

  /** Returns the keys of stored bytes without a live blob, and of live blobs of the cloud without bytes. */
  async function findInconsistentKeys(cloudID: string): Promise<string[]> {
    const stored = await findStoredKeys(first);
    const rows = await first.query<{ key: string }>(
      `SELECT s.key::text FROM unnest($2::uuid[]) AS s (key)
        WHERE NOT EXISTS (SELECT FROM mcdisk.blob b WHERE b.blob_key = s.key AND b.state IN ('LIVE', 'CONDEMNED'))
       UNION ALL
       SELECT b.blob_key::text FROM mcdisk.blob b
        WHERE b.cloud_id = $1 AND b.state = 'LIVE' AND b.blob_key <> ALL($2::uuid[])`,
      [cloudID, stored],
    );
    return rows.map(({ key }) => key);
  }
});

function replaceOrigin(url: string, original: string): string {
  return original.replace(/^http:\/\/[^/]+/, url);
}
