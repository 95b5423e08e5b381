import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Returns the statements that create a trigger. It updates the counts of contents per album and child after a statement
 * that adds contents to albums, removes them or changes their child. `rows` selects `sign` 1 or -1 per row.
 */
function counter(event: string, tables: string, rows: string): string[] {
  const name = `album_content_counted_on_${event.toLowerCase()}`;
  return [
    // The join omits deleted albums, whose counts are deleted with them.
    `CREATE FUNCTION mcdisk.${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO mcdisk.album_count AS known (photo_id, cid, placed)
       SELECT changed.photo_id, changed.cid, sum(changed.sign)
         FROM (${rows}) changed JOIN mcdisk.album USING (photo_id)
        GROUP BY 1, 2 HAVING sum(changed.sign) <> 0 ORDER BY 1, 2
           ON CONFLICT (photo_id, cid) DO UPDATE SET placed = known.placed + excluded.placed;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON mcdisk.album_content
       REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION mcdisk.${name}()`,
  ];
}

const ADDED = 'SELECT photo_id, cid, 1 AS sign FROM added';
const REMOVED = 'SELECT photo_id, cid, -1 AS sign FROM removed';

const UP = [
  // Copies of the columns of a content that lists of albums need.
  `ALTER TABLE mcdisk.album_content ADD COLUMN cid text, ADD COLUMN taken_at bigint`,
  `UPDATE mcdisk.album_content placed
      SET cid = content.cid, taken_at = coalesce(content.shot_at, content.created_at)
     FROM mcdisk.content WHERE content.content_id = placed.content_id`,
  `ALTER TABLE mcdisk.album_content ALTER COLUMN taken_at SET NOT NULL`,
  `CREATE INDEX album_content_taken ON mcdisk.album_content (photo_id, taken_at DESC, content_id) INCLUDE (cid)`,
  // Deletions and restorations of contents change neither `cid` nor `shot_at`, so the trigger does not run for them.
  `CREATE FUNCTION mcdisk.content_followed_by_albums() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE mcdisk.album_content SET cid = NEW.cid, taken_at = coalesce(NEW.shot_at, NEW.created_at)
      WHERE content_id = NEW.content_id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER content_followed_by_albums AFTER UPDATE OF cid, shot_at ON mcdisk.content FOR EACH ROW
     WHEN (NEW.state <> 'PURGED' AND (OLD.cid IS DISTINCT FROM NEW.cid OR OLD.shot_at IS DISTINCT FROM NEW.shot_at))
     EXECUTE FUNCTION mcdisk.content_followed_by_albums()`,
  `CREATE TABLE mcdisk.album_count (
    photo_id uuid NOT NULL CONSTRAINT album_count_album_fkey REFERENCES mcdisk.album ON DELETE CASCADE,
    cid text,
    placed integer NOT NULL,
    CONSTRAINT album_count_key UNIQUE NULLS NOT DISTINCT (photo_id, cid)
  )`,
  `INSERT INTO mcdisk.album_count (photo_id, cid, placed)
   SELECT photo_id, cid, count(*) FROM mcdisk.album_content GROUP BY photo_id, cid`,
  ...counter('INSERT', 'NEW TABLE AS added', ADDED),
  ...counter('UPDATE', 'OLD TABLE AS removed NEW TABLE AS added', `${ADDED} UNION ALL ${REMOVED}`),
  ...counter('DELETE', 'OLD TABLE AS removed', REMOVED),
];

const FUNCTIONS = [
  'content_followed_by_albums',
  ...['insert', 'update', 'delete'].map((event) => `album_content_counted_on_${event}`),
];

const DOWN = [
  `DROP FUNCTION ${FUNCTIONS.map((name) => `mcdisk.${name}()`).join(', ')} CASCADE`,
  `DROP TABLE mcdisk.album_count`,
  `ALTER TABLE mcdisk.album_content DROP COLUMN taken_at, DROP COLUMN cid`,
];

/** Albums in display order, and their maintained counts. */
export class AlbumOrder1790000002120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
