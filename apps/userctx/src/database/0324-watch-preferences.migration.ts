import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sound, screen and times of watches. */
export class WatchPreferences1790000000324 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE userctx.device_settings
        ADD volume smallint CONSTRAINT device_settings_volume_check CHECK (volume BETWEEN 0 AND 100),
        ADD ring_mode text CONSTRAINT device_settings_ring_check
          CHECK (ring_mode IN ('RING', 'VIBRATE', 'RING_AND_VIBRATE', 'SILENT')),
        ADD brightness smallint CONSTRAINT device_settings_brightness_check CHECK (brightness BETWEEN 0 AND 100),
        ADD language text,
        ADD power_on text,
        ADD power_off text,
        ADD location_schedule jsonb NOT NULL DEFAULT '[]',
        ADD CONSTRAINT device_settings_power_check CHECK (num_nulls(power_on, power_off) IN (0, 2))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE userctx.device_settings
        DROP volume, DROP ring_mode, DROP brightness, DROP language, DROP power_on, DROP power_off,
        DROP location_schedule`);
  }
}
