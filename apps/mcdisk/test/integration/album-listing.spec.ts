import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { Visibility } from '../../src/contexts/clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../../src/contexts/clouds/visibility-sql.js';
import { AlbumContentRepository } from '../../src/contexts/albums/album-content.repository.js';
import { AlbumRepository } from '../../src/contexts/albums/album.repository.js';
import type { ListedAlbum } from '../../src/contexts/albums/album.repository.js';
import { ContentStateRepository } from '../../src/contexts/contents/content-state.repository.js';
import { CloudServer } from '../support/cloud-server.js';
import { putContents } from '../support/content-rows.js';
import { sampleFamily } from '../support/family.js';

type Shown = Pick<ListedAlbum, 'albumId' | 'contentCount' | 'coverId'>;

const ALL: Visibility = { mode: 'ALL_BUT', cids: [] };
const SIGHTS: Visibility[] = [ALL, { mode: 'ONLY', cids: ['one'] }, { mode: 'ALL_BUT', cids: ['one'] }];
const PAGE = { limit: 50, offset: 0 };

/** What is shown, found by looking at every content of every album. */
const GONE_THROUGH = `
  SELECT album.photo_id AS "albumId", count(content.content_id)::int AS "contentCount",
         (array_agg(content.content_id
            ORDER BY content.content_id IS NOT DISTINCT FROM album.cover_content_id DESC,
                     coalesce(content.shot_at, content.created_at) DESC, content.content_id)
            FILTER (WHERE content.content_id IS NOT NULL))[1] AS "coverId"
    FROM mcdisk.album LEFT JOIN mcdisk.album_content placed USING (photo_id)
    LEFT JOIN mcdisk.content ON content.content_id = placed.content_id AND content.state = 'ACTIVE'
                            AND ${visibilityCondition('content.cid', 2)}
   WHERE album.cloud_id = $1 GROUP BY album.photo_id ORDER BY album.updated_at DESC, album.photo_id`;

describe('lists of albums', () => {
  let server: CloudServer;
  let cloudID: string;
  let albums: AlbumRepository;
  let placed: AlbumContentRepository;
  let states: ContentStateRepository;

  beforeAll(async () => {
    server = await CloudServer.start();
    albums = server.app.get(AlbumRepository, { strict: false });
    placed = server.app.get(AlbumContentRepository, { strict: false });
    states = server.app.get(ContentStateRepository, { strict: false });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    server.unitOfWork.executor.query<Row>(sql, parameters);
  const inOne = <Result>(work: () => Promise<Result>) => server.unitOfWork.run(work);

  const make = async (count: number) => {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const [index, albumId] of ids.entries()) {
      const album = { albumId, cloudId: cloudID, cid: null, name: 'album', coverContentId: null };
      await inOne(() =>
        albums.insertWithinLimit(count, { ...album, createdBy: 'user:x', createdAt: index, updatedAt: index }),
      );
    }
    return ids;
  };

  const shown = async (sight: Visibility): Promise<Shown[]> =>
    (await albums.list(cloudID, { sight, ...PAGE })).map(({ albumId, contentCount, coverId }) => ({
      albumId,
      contentCount,
      coverId,
    }));

  const CHANGES = ['place', 'remove', 'recycle', 'restore', 'purge', 'shoot', 'disown', 'cover'] as const;

  const change = async (kind: (typeof CHANGES)[number], albumId: string, ids: string[]) => {
    switch (kind) {
      case 'place': {
        const there = await placed.findExisting(cloudID, albumId, ids);
        return placed.add(
          cloudID,
          albumId,
          ids.filter((id) => !there.has(id)),
          0,
        );
      }
      case 'remove':
        return placed.remove(cloudID, albumId, ids);
      case 'recycle':
        return states.recycle(cloudID, ids, 5);
      case 'restore':
        return states.restore(cloudID, ids, { parentFolderId: null, now: 6 });
      case 'purge':
        await states.purge(ids, 7);
        return placed.removeContents(cloudID, ids);
      case 'shoot':
        return void (await query('UPDATE mcdisk.content SET shot_at = $2 WHERE content_id = ANY($1::uuid[])', [
          ids,
          ids.length,
        ]));
      case 'disown':
        return void (await query('UPDATE mcdisk.content SET cid = NULL WHERE content_id = ANY($1::uuid[])', [ids]));
      case 'cover':
        return void (await query('UPDATE mcdisk.album SET cover_content_id = $2 WHERE photo_id = $1', [
          albumId,
          ids[0],
        ]));
    }
  };

  test('show what one sees who goes through all of every album, whatever has happened', async () => {
    const step = fc.record({
      kind: fc.constantFrom(...CHANGES),
      album: fc.nat(2),
      contents: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await query('DELETE FROM mcdisk.album WHERE cloud_id = $1', [cloudID]);
        const albumIds = await make(3);
        const ids = await putContents(
          server,
          cloudID,
          Array.from({ length: 8 }, (_, index) => ({ cid: [null, 'one', 'two'][index % 3] ?? null, createdAt: index })),
        );
        const purged = new Set<string>();
        for (const { kind, album, contents } of steps) {
          const touched = contents.flatMap((index) => ids[index] ?? []).filter((id) => !purged.has(id));
          if (touched.length === 0) continue;
          await inOne(() => change(kind, albumIds[album] ?? '', touched));
          if (kind === 'purge') for (const id of touched) purged.add(id);
          for (const sight of SIGHTS) {
            expect(await shown(sight)).toEqual(await query(GONE_THROUGH, [cloudID, ...visibilityParameters(sight)]));
          }
        }
      }),
      { numRuns: propertyRuns(5) },
    );
  });

  /** Rows of contents and of albums' contents that `work` reads. */
  const rowsReadBy = (work: () => Promise<unknown>) =>
    inOne(async () => {
      const READ = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS rows FROM pg_stat_xact_user_tables
                     WHERE schemaname = 'mcdisk' AND relname IN ('content', 'album_content')`;
      const [before] = await query<{ rows: number }>(READ);
      await work();
      const [after] = await query<{ rows: number }>(READ);
      return (after?.rows ?? 0) - (before?.rows ?? 0);
    });

  test('read a few rows an album, however many contents are in it', async () => {
    const albumIds = await make(20);
    const ids = await putContents(
      server,
      cloudID,
      Array.from({ length: 3_000 }, (_, index) => ({ createdAt: index, cid: index % 2 === 0 ? 'one' : null })),
    );
    for (const albumId of albumIds) await inOne(() => placed.add(cloudID, albumId, ids, 0));
    await inOne(() => states.recycle(cloudID, ids.slice(-2), 5));
    await server.asOwner('ANALYZE mcdisk.content, mcdisk.album, mcdisk.album_content, mcdisk.album_count');
    const newest = { contentCount: 2_998, coverId: ids.at(-3) };
    expect(await shown(ALL)).toEqual(albumIds.toReversed().map((albumId) => ({ albumId, ...newest })));
    // Of each album its cover, and the two in the bin, which are met on the way to it as well.
    expect(await rowsReadBy(() => shown(ALL))).toBeLessThan(20 * albumIds.length);
    expect(await rowsReadBy(() => query(GONE_THROUGH, [cloudID, ...visibilityParameters(ALL)]))).toBeGreaterThan(
      10_000,
    );
  });
});
