import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { BlobAssignment, type FinishedUpload } from './finished-upload.js';
import type { LockedBlob } from './upload-commit.repository.js';

const { STAGED, LIVE, CONDEMNED, DELETING } = BLOB_STATE;
const SAMPLE_MEDIA = { mediaType: 'text/plain', contentType: CONTENT_TYPE.DOCUMENT };

function finishedUpload(
  changes: { digest?: string; cloudId?: string; size?: number; leaseHolder?: string | null } = {},
) {
  const { digest = 'd', cloudId = 'c', size = 1, leaseHolder = null } = changes;
  const upload = { contentId: randomUUID(), cloudId, parentFolderId: null, size };
  return { upload, blobKey: randomUUID(), digest, media: SAMPLE_MEDIA, leaseHolder } satisfies FinishedUpload;
}

function lockedBlob(state: LockedBlob['state'], changes: Partial<LockedBlob> = {}): LockedBlob {
  return { blobKey: randomUUID(), cloudId: 'c', state, digest: 'd', size: 1, ...changes };
}

const staged = ({ blobKey, upload }: FinishedUpload) =>
  lockedBlob(STAGED, { blobKey, cloudId: upload.cloudId, digest: null, size: null });

describe('BlobAssignment', () => {
  test('assigns the blob of the upload itself when the family has no blob with the same bytes', () => {
    const upload = finishedUpload();
    const assignment = new BlobAssignment([
      lockedBlob(LIVE, { cloudId: 'other' }),
      lockedBlob(LIVE, { size: 2 }),
      lockedBlob(LIVE, { digest: 'e' }),
    ]);
    expect(assignment.assign(upload)).toBe(upload.blobKey);
    expect(assignment.stateChanges).toMatchObject([
      { blobKey: upload.blobKey, state: LIVE, cloudId: 'c', digest: 'd', size: 1 },
    ]);
  });

  test('assigns a live blob with the same bytes and does not change its state', () => {
    const existing = lockedBlob(LIVE);
    const assignment = new BlobAssignment([existing]);
    expect(assignment.assign(finishedUpload())).toBe(existing.blobKey);
    expect(assignment.stateChanges).toEqual([]);
  });

  test('assigns a condemned blob with the same bytes and makes it live, once for several uploads', () => {
    const existing = lockedBlob(CONDEMNED);
    const assignment = new BlobAssignment([existing]);
    expect([assignment.assign(finishedUpload()), assignment.assign(finishedUpload())]).toEqual([
      existing.blobKey,
      existing.blobKey,
    ]);
    expect(assignment.stateChanges).toMatchObject([{ blobKey: existing.blobKey, state: LIVE }]);
  });

  test('assigns no blob when the staged bytes were deleted', () => {
    const upload = finishedUpload({ leaseHolder: randomUUID() });
    expect(new BlobAssignment([{ ...staged(upload), state: DELETING }]).assign(upload)).toBeUndefined();
    expect(new BlobAssignment([]).assign(upload)).toBeUndefined();
  });

  test('deletes the staged blob when a live blob with the same bytes exists', () => {
    const [existing, upload] = [lockedBlob(LIVE), finishedUpload({ leaseHolder: randomUUID() })];
    const assignment = new BlobAssignment([existing, staged(upload)]);
    expect(assignment.assign(upload)).toBe(existing.blobKey);
    expect(assignment.stateChanges).toMatchObject([{ blobKey: upload.blobKey, state: DELETING }]);
  });

  test('assigns one blob to all uploads of a cloud with the same bytes, and changes each blob at most once', () => {
    const randomUpload = fc.record({
      digest: fc.constantFrom('d', 'e'),
      cloudId: fc.constantFrom('c', 'f'),
      size: fc.constantFrom(1, 2),
      leaseHolder: fc.constantFrom(null, 'holder'),
    });
    const existing = fc.record({
      digest: fc.constantFrom('d', 'e'),
      cloudId: fc.constantFrom('c', 'f'),
      size: fc.constantFrom(1, 2),
      state: fc.constantFrom(LIVE, CONDEMNED),
    });
    fc.assert(
      fc.property(
        fc.array(randomUpload, { maxLength: 12 }),
        fc.array(existing, { maxLength: 4 }),
        (newUploads, existingBlobs) => {
          const uploads = newUploads.map(finishedUpload);
          const locked = [...existingBlobs.map(({ state, ...of }) => lockedBlob(state, of)), ...uploads.map(staged)];
          const assignment = new BlobAssignment(locked);
          const keys = uploads.map((upload) => assignment.assign(upload));
          const bytesAt = new Map<string | undefined, Set<string>>();
          const keysOf = new Map<string, Set<string | undefined>>();
          uploads.forEach(({ digest, upload: { cloudId, size } }, index) => {
            const bytes = `${digest} ${size} ${cloudId}`;
            bytesAt.set(keys[index], (bytesAt.get(keys[index]) ?? new Set()).add(bytes));
            keysOf.set(bytes, (keysOf.get(bytes) ?? new Set()).add(keys[index]));
          });
          expect([...bytesAt.values(), ...keysOf.values()].every(({ size }) => size === 1)).toBe(true);
          const decidedKeys = assignment.stateChanges.map(({ blobKey }) => blobKey);
          expect(new Set(decidedKeys).size).toBe(decidedKeys.length);
          // After the state changes, every blob that was assigned to an upload is live.
          const liveKeys = new Set([
            ...locked.flatMap(({ state, blobKey }) => (state === LIVE ? [blobKey] : [])),
            ...assignment.stateChanges.flatMap(({ state, blobKey }) => (state === LIVE ? [blobKey] : [])),
          ]);
          expect(keys.every((key) => key !== undefined && liveKeys.has(key))).toBe(true);
        },
      ),
    );
  });
});
