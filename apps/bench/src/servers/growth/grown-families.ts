import type { BenchDatabase } from '../bench-database.js';

/** Families per transaction, so that no transaction needs gigabytes of memory or temporary files. */
const BATCH_SIZE = 50_000;
const FIRST_DID = 720_000_000_000;

/**
 * Grows tables by families that no request of the benchmark concerns. The ids and the published snapshot of each family
 * are in the temporary table `grown`, from which set-based statements insert the rows of a batch.
 */
export class GrownFamilies {
  private count = 0;

  constructor(private readonly database: BenchDatabase) {}

  /** Inserts families until there are `count`. */
  async grow(count: number, insertBatch: () => Promise<void>): Promise<void> {
    await this.database.query(
      `CREATE TEMPORARY TABLE IF NOT EXISTS grown (
         n bigint, family_id uuid, user_id uuid, cid uuid, did bigint, conversation_id uuid, snapshot jsonb
       )`,
    );
    while (this.count < count) {
      const end = Math.min(count, this.count + BATCH_SIZE);
      await this.database.query('TRUNCATE grown');
      await this.database.query(
        `INSERT INTO grown
         SELECT family.*,
           jsonb_build_object('familyId', family_id, 'version', 1, 'ownerUserId', user_id, 'dissolved', false,
             'members', jsonb_build_array(jsonb_build_object(
               'userId', user_id, 'role', 1, 'permissions', '[]'::jsonb, 'childPermissions', '{}'::jsonb)),
             'children', jsonb_build_array(jsonb_build_object('cid', cid, 'did', did)))
         FROM (
           SELECT n, gen_random_uuid() AS family_id, gen_random_uuid() AS user_id, gen_random_uuid() AS cid,
             ${FIRST_DID} + n AS did, gen_random_uuid() AS conversation_id
           FROM generate_series($1::bigint, $2::bigint) AS n
         ) AS family`,
        [this.count + 1, end],
      );
      await this.database.query('ANALYZE grown');
      await this.database.query('BEGIN');
      await insertBatch();
      await this.database.query('COMMIT');
      this.count = end;
    }
  }
}
