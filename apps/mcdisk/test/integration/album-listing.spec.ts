import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { Visibility } from '../../src/clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../src/clouds/visibility-condition.js';
import { AlbumRepository, type ListedAlbum } from '../../src/files/albums/album.repository.js';
import { ContentRepository } from '../../src/files/contents/content.repository.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { seedContents } from '../support/seeded-cloud.js';

type ListedFields = Pick<ListedAlbum, 'albumId' | 'contentCount' | 'coverId'>;

const FULL_VISIBILITY: Visibility = { mode: 'ALL_BUT', cids: [] };
const VISIBILITIES: Visibility[] = [
  FULL_VISIBILITY,
  { mode: 'ONLY', cids: ['one'] },
  { mode: 'ALL_BUT', cids: ['one'] },
];
const FIRST_PAGE = { limit: 50, offset: 0 };

/** Computes the expected listing from every content of every album. */
const EXPECTED_LISTING = `
  SELECT album.photo_id AS "albumId", count(content.content_id)::int AS "contentCount",
         (array_agg(content.content_id
            ORDER BY content.content_id IS NOT DISTINCT FROM album.cover_content_id DESC,
                     coalesce(content.shot_at, content.created_at) DESC, content.content_id)
            FILTER (WHERE content.content_id IS NOT NULL))[1] AS "coverId"
    FROM mcdisk.album LEFT JOIN mcdisk.album_content placed USING (photo_id)
    LEFT JOIN mcdisk.content ON content.content_id = placed.content_id AND content.state = 'ACTIVE'
                            AND ${visibilityCondition('content.cid', 2)}
   WHERE album.cloud_id = $1 GROUP BY album.photo_id ORDER BY album.updated_at DESC, album.photo_id`;

describe('album listing', () => {
  let { cloudID } = {} as TestCloud;
  let server: CloudServer;
  let albums: AlbumRepository;
  let contentRepository: ContentRepository;

  beforeAll(async () => {
    server = await CloudServer.start();
    albums = server.get(AlbumRepository);
    contentRepository = server.get(ContentRepository);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ cloudID } = await createCloud(server));
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  const inTransaction = <Result>(work: () => Promise<Result>) => server.unitOfWork.run(work);

  const createAlbums = async (count: number) => {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const [index, albumId] of ids.entries()) {
      const album = { albumId, cloudId: cloudID, cid: null, name: 'album', coverContentId: null };
      await inTransaction(() =>
        albums.insertWithinLimit(count, { ...album, createdBy: 'user:x', createdAt: index, updatedAt: index }),
      );
    }
    return ids;
  };

  const listAlbums = async (sight: Visibility): Promise<ListedFields[]> =>
    (await albums.list(cloudID, { visibility: sight, ...FIRST_PAGE })).map(({ albumId, contentCount, coverId }) => ({
      albumId,
      contentCount,
      coverId,
    }));

  const CHANGES = ['add', 'remove', 'recycle', 'restore', 'purge', 'setCaptureTime', 'clearChild', 'cover'] as const;

  const change = async (kind: (typeof CHANGES)[number], albumId: string, ids: string[]) => {
    switch (kind) {
      case 'add': {
        const existing = await albums.findIdsInAlbum(cloudID, albumId, ids);
        return albums.addContents(
          cloudID,
          albumId,
          ids.filter((id) => !existing.has(id)),
          0,
        );
      }
      case 'remove':
        return albums.removeContents(cloudID, albumId, ids);
      case 'recycle':
        return contentRepository.recycle(cloudID, ids, 5);
      case 'restore':
        return contentRepository.restore(cloudID, ids, { parentFolderId: null, now: 6 });
      case 'purge':
        await contentRepository.purge(ids, 7);
        return albums.removePurged(cloudID, ids);
      case 'setCaptureTime':
        return void (await query('UPDATE mcdisk.content SET shot_at = $2 WHERE content_id = ANY($1::uuid[])', [
          ids,
          ids.length,
        ]));
      case 'clearChild':
        return void (await query('UPDATE mcdisk.content SET cid = NULL WHERE content_id = ANY($1::uuid[])', [ids]));
      case 'cover':
        return void (await query('UPDATE mcdisk.album SET cover_content_id = $2 WHERE photo_id = $1', [
          albumId,
          ids[0],
        ]));
    }
  };

  test('returns the same albums as a scan of all contents after any sequence of changes', async () => {
    const step = fc.record({
      kind: fc.constantFrom(...CHANGES),
      album: fc.nat(2),
      contents: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await query('DELETE FROM mcdisk.album WHERE cloud_id = $1', [cloudID]);
        const albumIds = await createAlbums(3);
        const ids = await seedContents(
          server,
          cloudID,
          Array.from({ length: 8 }, (_, index) => ({ cid: [null, 'one', 'two'][index % 3] ?? null, createdAt: index })),
        );
        const purged = new Set<string>();
        for (const { kind, album, contents } of steps) {
          const affected = contents.flatMap((index) => ids[index] ?? []).filter((id) => !purged.has(id));
          if (affected.length === 0) continue;
          await inTransaction(() => change(kind, albumIds[album] ?? '', affected));
          if (kind === 'purge') for (const id of affected) purged.add(id);
          for (const sight of VISIBILITIES) {
            expect(await listAlbums(sight)).toEqual(
              await query(EXPECTED_LISTING, [cloudID, ...visibilityParameters(sight)]),
            );
          }
        }
      }),
      { numRuns: propertyRuns(5) },
    );
  });

  /** Returns the number of rows that `work` reads from the tables `content` and `album_content`. */
  const rowsReadBy = (work: () => Promise<unknown>) =>
    inTransaction(async () => {
      const READ = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS rows FROM pg_stat_xact_user_tables
                     WHERE schemaname = 'mcdisk' AND relname IN ('content', 'album_content')`;
      const [before] = await query<{ rows: number }>(READ);
      await work();
      const [after] = await query<{ rows: number }>(READ);
      return (after?.rows ?? 0) - (before?.rows ?? 0);
    });

  test('reads fewer than 20 rows per album, regardless of the number of contents in the album', async () => {
    const albumIds = await createAlbums(20);
    const ids = await seedContents(
      server,
      cloudID,
      Array.from({ length: 3_000 }, (_, index) => ({ createdAt: index, cid: index % 2 === 0 ? 'one' : null })),
    );
    for (const albumId of albumIds) await inTransaction(() => albums.addContents(cloudID, albumId, ids, 0));
    await inTransaction(() => contentRepository.recycle(cloudID, ids.slice(-2), 5));
    await server.runAsSchemaOwner('ANALYZE mcdisk.content, mcdisk.album, mcdisk.album_content, mcdisk.album_count');
    const newest = { contentCount: 2_998, coverId: ids.at(-3) };
    expect(await listAlbums(FULL_VISIBILITY)).toEqual(albumIds.toReversed().map((albumId) => ({ albumId, ...newest })));
    // For each album the query reads the cover and the two recycled contents that precede it in the index.
    expect(await rowsReadBy(() => listAlbums(FULL_VISIBILITY))).toBeLessThan(20 * albumIds.length);
    // The scan reads each content at least once; the rows of `album_content` do not count after a vacuum, because an
    // index-only scan then reads them from the index alone.
    expect(
      await rowsReadBy(() => query(EXPECTED_LISTING, [cloudID, ...visibilityParameters(FULL_VISIBILITY)])),
    ).toBeGreaterThan(2_000);
  });
});
