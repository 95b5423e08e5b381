import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Converts the names of folders to NFC, as new names are. Of active folders whose names are then equal, the later ones get
 * a part of their id in addition.
 */
export class FolderNames1790000002330 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE mcdisk.catalog folder
         SET name = CASE WHEN named.position = 1 OR folder.state = 'DELETED' THEN named.form
                         ELSE left(named.form, 60) || ' (' || left(folder.catalog_id::text, 8) || ')' END
        FROM (SELECT catalog_id, form,
                     row_number() OVER (PARTITION BY cloud_id, parent_catalog_id, state, form
                                        ORDER BY (name <> form), created_at, catalog_id) AS position
                FROM (SELECT *, normalize(name, NFC) AS form FROM mcdisk.catalog) AS folders) AS named
       WHERE named.catalog_id = folder.catalog_id AND folder.name <> named.form`);
  }

  async down(): Promise<void> {
    // Earlier builds accept the new names as well.
  }
}
