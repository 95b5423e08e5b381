import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bytes of firmware images, which belong to no cloud. An app of the previous build condemns these blobs, because it does
 * not know their references; it deletes none within the seven days of grace, and this build makes them live again.
 */
export class Firmware1790000002280 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcdisk.blob ALTER cloud_id DROP NOT NULL');
    await runner.query(`CREATE TABLE mcdisk.firmware_image (
      image_id uuid CONSTRAINT firmware_image_pkey PRIMARY KEY,
      blob_key uuid CONSTRAINT firmware_image_blob_fkey REFERENCES mcdisk.blob
        CONSTRAINT firmware_image_blob_unique UNIQUE,
      stored_at bigint NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.firmware_image');
    await runner.query('DELETE FROM mcdisk.blob WHERE cloud_id IS NULL');
    await runner.query('ALTER TABLE mcdisk.blob ALTER cloud_id SET NOT NULL');
  }
}
