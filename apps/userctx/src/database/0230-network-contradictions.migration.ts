import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores how many families support or contradict the location of a network.
 *
 * The previous version of the app still reads and writes the table: it ignores the new columns, uses `strays`, and
 * leaves the witnesses of learned networks unchanged.
 */
export class NetworkContradictions1790000000230 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table userctx.radio_network
      add column support smallint not null default 0,
      add column witness_weights double precision[] not null default '{}',
      add column contradictions bigint[] not null default '{}',
      add column contradicted_days smallint not null default 0,
      drop constraint radio_network_learned_check,
      add constraint radio_network_learned_check check (not learned or latitude is not null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`update userctx.radio_network set witnesses = '{}' where learned`);
    await runner.query(`alter table userctx.radio_network
      drop column support,
      drop column witness_weights,
      drop column contradictions,
      drop column contradicted_days,
      drop constraint radio_network_learned_check,
      add constraint radio_network_learned_check check (not learned or (latitude is not null and witnesses = '{}'))`);
  }
}
