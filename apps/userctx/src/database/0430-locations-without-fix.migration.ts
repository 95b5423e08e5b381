import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deletes last locations at exactly 0/0, which are no locations, and clears times of newest points that are more than a day
 * ahead, so that they are looked up again.
 */
export class LocationsWithoutFix1790000000430 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM userctx.child_location WHERE latitude = 0 AND longitude = 0');
    await runner.query(
      `UPDATE userctx.child_location SET newest_time = NULL, newest_credible_time = NULL
        WHERE newest_time > (extract(epoch FROM now()) + 86400) * 1000`,
    );
  }

  async down(): Promise<void> {}
}
