import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { headUpload, offsetOf, openPatch, patchUpload, tusUpload } from '../support/tus-requests.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('resumable uploads', () => {
  let { server, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, cloudID, owner } = await createCloud());
  });

  const sizes = () => server.findUsage(cloudID);

  const announce = (size: number, digest?: string) => owner.announceFile(cloudID, size, digest);

  const readBack = (contentID: string) => owner.download(cloudID, contentID);

  describe('tus-js-client', () => {
    test('uploads a file; the response to the last bytes contains the receipt', async () => {
      const bytes = randomBytes(3_000_000);
      const { tusURL, contentID, uploadTaskID } = await announce(bytes.length, sha256(bytes));
      const receipts: (string | undefined)[] = [];
      await tusUpload(tusURL, bytes, {
        chunkSize: 1_000_000,
        onAfterResponse: (_, response) => void receipts.push(response.getHeader('upload-receipt')),
      }).done;
      expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
      const [receipt] = await owner.completeUpload(cloudID, uploadTaskID);
      expect(receipt?.digest).toBe(sha256(bytes));
      expect(receipts.at(-1)).toBe(receipt?.receipt);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: bytes.length });
    });

    test('stores the same bytes when it is aborted and resumed at any offset', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 2_500_000 }),
          fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 }),
          async (size, breaks) => {
            const bytes = randomBytes(size);
            const { tusURL, contentID } = await announce(size, sha256(bytes));
            for (const sent of breaks) {
              const offset = await offsetOf(tusURL);
              const first = bytes.subarray(offset, Math.min(offset + sent, size - 1));
              const patch = openPatch(tusURL, offset, size - offset, first);
              await waitFor(async () => expect(await isLeaseHeld(contentID)).toBe(true));
              patch.abort();
            }
            await tusUpload(tusURL, bytes).done;
            expect(sha256(await readBack(contentID))).toBe(sha256(bytes));
          },
        ),
        { numRuns: propertyRuns(5) },
      );
      const { usedSize, reservedSize } = await server.findSizes(cloudID);
      expect([usedSize, reservedSize]).toEqual([
        (await owner.list(cloudID)).cloudContentList.reduce((sum, { contentSize }) => sum + contentSize, 0),
        0,
      ]);
    });

    test('uploads an empty file', async () => {
      const { tusURL, contentID } = await announce(0);
      await tusUpload(tusURL, Buffer.alloc(0)).done;
      expect(await readBack(contentID)).toHaveLength(0);
    });

    test('terminates an upload', async () => {
      const { tusURL } = await announce(1_000);
      await patchUpload(tusURL, 0, randomBytes(500));
      const begun = Promise.withResolvers<void>();
      const { upload } = tusUpload(tusURL, randomBytes(1_000), {
        chunkSize: 100,
        onChunkComplete: () => begun.resolve(),
      });
      await begun.promise;
      await upload.abort(true);
      await waitFor(async () => expect(await sizes()).toEqual(NO_USAGE));
      expect((await headUpload(tusURL)).status).toBe(404);
    });
  });

  /** Returns whether a request holds the lease of the upload. */
  async function isLeaseHeld(contentID: string): Promise<boolean> {
    const rows = await server.query('SELECT FROM mcdisk.upload WHERE content_id = $1 AND lock_holder IS NOT NULL', [
      contentID,
    ]);
    return rows.length === 1;
  }

  test('OPTIONS returns the capabilities; POST is rejected and names the operation that creates uploads', async () => {
    const { tusURL } = await announce(1);
    const options = await fetch(tusURL, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('tus-version')]).toEqual([204, '1.0.0']);
    expect(options.headers.get('tus-extension')).toBe('termination,expiration');
    expect(options.headers.get('tus-max-size')).toBe(String(8 * 1024 ** 3));
    const create = await fetch(`${server.url}/app-api/mcdisk/upload`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' },
    });
    expect([create.status, await create.text()]).toEqual([405, expect.stringContaining('getFileUploadURL')]);
  });

  test('returns no PUT URL for large files', async () => {
    expect(await announce(600 * 1024 * 1024)).toMatchObject({
      uploadURL: '',
      tusURL: expect.stringContaining('/upload/'),
      isNeedUpload: true,
    });
  });
});
