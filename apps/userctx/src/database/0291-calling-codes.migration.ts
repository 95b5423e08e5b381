import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables in which clients could store a calling code with `00`. */
const TABLES = ['userctx.contact', 'userctx.child', 'userctx.allowed_number'];

/** Stores calling codes such as `+0086` as `+86`, the form in which new ones are stored and compared. */
export class CallingCodes1790000000291 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`
        update ${table} set area_code = '+' || substr(area_code, 4) where area_code ~ '^[+]00[1-9][0-9]{0,3}$'`);
  }

  async down(): Promise<void> {
    // Both forms are valid for every build.
  }
}
