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

  /**
   * Inserts families until there are `count`. If these are many, the indexes that guarantee nothing are created again
   * afterwards, because building an index is several times faster than inserting its rows in random order.
   */
  async grow(count: number, insertBatch: () => Promise<void>): Promise<void> {
    await this.database.query(
      `CREATE TEMPORARY TABLE IF NOT EXISTS grown (
         n bigint, family_id uuid, user_id uuid, cid uuid, did bigint, conversation_id uuid, snapshot jsonb
       )`,
    );
    const droppedIndexes = count - this.count > BATCH_SIZE ? await this.dropIndexes() : [];
    // The statements insert consistent rows, so foreign keys are not checked.
    await this.database.query('SET session_replication_role = replica');
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
    await this.database.query('SET session_replication_role = origin');
    for (const definition of droppedIndexes) await this.database.query(definition);
  }

  /** Drops all indexes of tables that are not partitioned, except unique ones. @returns their definitions */
  private async dropIndexes(): Promise<string[]> {
    const indexes = await this.database.query<{ name: string; definition: string }>(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid
       WHERE NOT indisunique AND index.relkind = 'i' AND NOT index.relispartition
         AND index.relnamespace <> 'pg_catalog'::regnamespace`,
    );
    for (const { name } of indexes) await this.database.query(`DROP INDEX ${name}`);
    return indexes.map(({ definition }) => definition);
  }
}
