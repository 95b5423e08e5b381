import { CONTENT_BYTES, seedContents } from '../mcdisk-seed.js';
import type { BenchDatabase } from '../bench-database.js';
import { GrownFamilies } from './grown-families.js';

const CONTENTS_PER_FAMILY = 10;
const CONTENTS_PER_ACTIVE_FAMILY = 100;
const CLOUD_BYTES = 2 ** 34;

/** Rows of mcdisk. Each family has a cloud with ten files. */
export class CloudTables {
  private readonly families: GrownFamilies;

  constructor(private readonly database: BenchDatabase) {
    this.families = new GrownFamilies(database);
  }

  /** Inserts contents into clouds. @returns the id of one content of each cloud */
  async insertActiveContents(owners: readonly { cloudID: string; userId: string }[]): Promise<string[]> {
    await seedContents(
      this.database,
      owners.map(({ cloudID, userId }) => ({ cloudID, userId, count: CONTENTS_PER_ACTIVE_FAMILY, state: 'ACTIVE' })),
    );
    const rows = await this.database.query<{ contentID: string }>(
      `SELECT min(content_id::text) AS "contentID"
       FROM unnest($1::text[]) WITH ORDINALITY AS cloud (cloud_id, ordinal) JOIN mcdisk.content USING (cloud_id)
       GROUP BY ordinal ORDER BY ordinal`,
      [owners.map(({ cloudID }) => cloudID)],
    );
    return rows.map(({ contentID }) => contentID);
  }

  async grow(count: number): Promise<void> {
    await this.families.grow(count, async () => {
      await this.insertClouds();
      await this.insertContents();
    });
  }

  private async insertClouds(): Promise<void> {
    await this.database.query(
      `INSERT INTO mcdisk.family_projection (family_id, version, snapshot, principals)
       SELECT family_id::text, 1, snapshot, ARRAY['user:' || user_id, 'watch:' || did] FROM grown`,
    );
    await this.database.query(
      `INSERT INTO mcdisk.family_cloud (cloud_id, disk_size, used_size, content_count, created_at, updated_at)
       SELECT family_id::text, ${CLOUD_BYTES}, ${CONTENTS_PER_FAMILY * CONTENT_BYTES}, ${CONTENTS_PER_FAMILY}, $1::bigint,
              $1::bigint
       FROM grown`,
      [Date.now()],
    );
  }

  private async insertContents(): Promise<void> {
    await this.database.query(
      `CREATE TEMPORARY TABLE grown_content ON COMMIT DROP AS
       SELECT k, family_id::text AS cloud_id, 'user:' || user_id AS uploader, gen_random_uuid() AS blob_key,
              (left(encode(sha256(family_id::text::bytea), 'hex'), 8) || substr(gen_random_uuid()::text, 9))::uuid
                AS content_id,
              encode(sha256((family_id::text || k)::bytea), 'hex') AS digest
       FROM grown CROSS JOIN generate_series(1, ${CONTENTS_PER_FAMILY}) AS k
       ORDER BY k`,
    );
    const now = Date.now();
    await this.database.query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
       SELECT blob_key, cloud_id, 'LIVE', $1::bigint, ${CONTENT_BYTES}, digest FROM grown_content`,
      [now],
    );
    await this.database.query(
      `INSERT INTO mcdisk.content (content_id, cloud_id, blob_key, name, size, digest, type, media_type, uploader, state,
                                   created_at, updated_at)
       SELECT content_id, cloud_id, blob_key, 'picture ' || k || '.jpg', ${CONTENT_BYTES}, digest, 1, 'image/jpeg',
              uploader, 'ACTIVE', $1::bigint - k * 1000, $1::bigint - k * 1000
       FROM grown_content`,
      [now],
    );
  }
}
