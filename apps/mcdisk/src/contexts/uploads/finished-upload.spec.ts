import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { BlobAssignment } from './finished-upload.js';
import type { FinishedUpload } from './finished-upload.js';
import type { LockedBlob } from './upload-commit.repository.js';

const { STAGED, LIVE, CONDEMNED, DELETING } = BLOB_STATE;
const MEDIA = { mediaType: 'text/plain', contentType: CONTENT_TYPE.DOCUMENT };

function finished(changes: { digest?: string; cloudId?: string; size?: number; holder?: string | null } = {}) {
  const { digest = 'd', cloudId = 'c', size = 1, holder = null } = changes;
  const upload = { contentId: randomUUID(), cloudId, parentFolderId: null, size };
  return { upload, blobKey: randomUUID(), digest, media: MEDIA, holder } satisfies FinishedUpload;
}

function blob(state: LockedBlob['state'], changes: Partial<LockedBlob> = {}): LockedBlob {
  return { blobKey: randomUUID(), cloudId: 'c', state, digest: 'd', size: 1, ...changes };
}

const staged = ({ blobKey, upload }: FinishedUpload) =>
  blob(STAGED, { blobKey, cloudId: upload.cloudId, digest: null, size: null });

describe('the blob of a finished upload', () => {
  test('is its own where the family has no equal bytes', () => {
    const one = finished();
    const places = new BlobAssignment([
      blob(LIVE, { cloudId: 'other' }),
      blob(LIVE, { size: 2 }),
      blob(LIVE, { digest: 'e' }),
    ]);
    expect(places.assign(one)).toBe(one.blobKey);
    expect(places.decisions).toMatchObject([{ blobKey: one.blobKey, state: LIVE, cloudId: 'c', digest: 'd', size: 1 }]);
  });

  test('is the one that lives already, which needs no change', () => {
    const known = blob(LIVE);
    const places = new BlobAssignment([known]);
    expect(places.assign(finished())).toBe(known.blobKey);
    expect(places.decisions).toEqual([]);
  });

  test('is the condemned one, which lives again, once', () => {
    const known = blob(CONDEMNED);
    const places = new BlobAssignment([known]);
    expect([places.assign(finished()), places.assign(finished())]).toEqual([known.blobKey, known.blobKey]);
    expect(places.decisions).toMatchObject([{ blobKey: known.blobKey, state: LIVE }]);
  });

  test('is none where the bytes were given up meanwhile', () => {
    const one = finished({ holder: randomUUID() });
    expect(new BlobAssignment([{ ...staged(one), state: DELETING }]).assign(one)).toBeUndefined();
    expect(new BlobAssignment([]).assign(one)).toBeUndefined();
  });

  test('gives up what was staged beside it', () => {
    const [known, one] = [blob(LIVE), finished({ holder: randomUUID() })];
    const places = new BlobAssignment([known, staged(one)]);
    expect(places.assign(one)).toBe(known.blobKey);
    expect(places.decisions).toMatchObject([{ blobKey: one.blobKey, state: DELETING }]);
  });

  test('of any that come together: equal bytes of one cloud share one, others never, and no row is said twice', () => {
    const some = fc.record({
      digest: fc.constantFrom('d', 'e'),
      cloudId: fc.constantFrom('c', 'f'),
      size: fc.constantFrom(1, 2),
      holder: fc.constantFrom(null, 'holder'),
    });
    const known = fc.record({
      digest: fc.constantFrom('d', 'e'),
      cloudId: fc.constantFrom('c', 'f'),
      size: fc.constantFrom(1, 2),
      state: fc.constantFrom(LIVE, CONDEMNED),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), fc.array(known, { maxLength: 4 }), (coming, there) => {
        const uploads = coming.map(finished);
        const locked = [...there.map(({ state, ...of }) => blob(state, of)), ...uploads.map(staged)];
        const places = new BlobAssignment(locked);
        const keys = uploads.map((one) => places.assign(one));
        const bytesAt = new Map<string | undefined, Set<string>>();
        const keysOf = new Map<string, Set<string | undefined>>();
        uploads.forEach(({ digest, upload: { cloudId, size } }, index) => {
          const bytes = `${digest} ${size} ${cloudId}`;
          bytesAt.set(keys[index], (bytesAt.get(keys[index]) ?? new Set()).add(bytes));
          keysOf.set(bytes, (keysOf.get(bytes) ?? new Set()).add(keys[index]));
        });
        expect([...bytesAt.values(), ...keysOf.values()].every(({ size }) => size === 1)).toBe(true);
        const said = places.decisions.map(({ blobKey }) => blobKey);
        expect(new Set(said).size).toBe(said.length);
        // Every blob that a content refers to lives afterwards.
        const living = new Set([
          ...locked.flatMap(({ state, blobKey }) => (state === LIVE ? [blobKey] : [])),
          ...places.decisions.flatMap(({ state, blobKey }) => (state === LIVE ? [blobKey] : [])),
        ]);
        expect(keys.every((key) => key !== undefined && living.has(key))).toBe(true);
      }),
    );
  });
});
