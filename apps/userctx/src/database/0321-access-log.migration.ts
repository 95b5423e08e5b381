import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The access log of each child. The runtime role may only add entries. Two functions with the rights of the schema's owner
 * delete entries, and only those that may be deleted: entries of more than 30 days, and entries of erased children.
 */
export class AccessLog1790000000321 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION userctx.delete_expired_child_reads, userctx.erase_child_reads');
    await runner.query('DROP TABLE userctx.child_read, userctx.child_read_chain');
  }
}

const STATEMENTS = [
  `CREATE TABLE userctx.child_read (
    cid uuid NOT NULL,
    sequence bigint NOT NULL,
    viewer text NOT NULL,
    kind text NOT NULL,
    hour bigint NOT NULL,
    recorded_at bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT child_read_pkey PRIMARY KEY (cid, sequence),
    CONSTRAINT child_read_once UNIQUE (cid, hour, viewer, kind)
  )`,
  `CREATE TABLE userctx.child_read_chain (
    cid uuid CONSTRAINT child_read_chain_pkey PRIMARY KEY,
    first_sequence bigint NOT NULL DEFAULT 1,
    last_sequence bigint NOT NULL DEFAULT 0,
    base_hash bytea NOT NULL DEFAULT '\\x',
    last_hash bytea NOT NULL DEFAULT '\\x',
    oldest_at bigint,
    CONSTRAINT child_read_chain_order CHECK (first_sequence <= last_sequence + 1)
  )`,
  `CREATE INDEX child_read_chain_oldest ON userctx.child_read_chain (oldest_at) WHERE oldest_at IS NOT NULL`,
  `CREATE FUNCTION userctx.delete_expired_child_reads(log_cid uuid, recorded_before bigint) RETURNS void
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    kept_sequence bigint;
    kept_at bigint;
    new_base bytea;
  BEGIN
    IF recorded_before > (extract(epoch FROM clock_timestamp()) - 30 * 86400) * 1000 THEN
      RAISE EXCEPTION 'Entries of the access log are retained for at least 30 days';
    END IF;
    PERFORM FROM userctx.child_read_chain WHERE cid = log_cid FOR UPDATE;
    SELECT sequence, recorded_at INTO kept_sequence, kept_at FROM userctx.child_read
     WHERE cid = log_cid AND recorded_at >= recorded_before ORDER BY sequence LIMIT 1;
    SELECT hash INTO new_base FROM userctx.child_read
     WHERE cid = log_cid AND (kept_sequence IS NULL OR sequence < kept_sequence) ORDER BY sequence DESC LIMIT 1;
    IF new_base IS NULL THEN
      RETURN;
    END IF;
    DELETE FROM userctx.child_read WHERE cid = log_cid AND (kept_sequence IS NULL OR sequence < kept_sequence);
    UPDATE userctx.child_read_chain
       SET first_sequence = coalesce(kept_sequence, last_sequence + 1), base_hash = new_base, oldest_at = kept_at
     WHERE cid = log_cid;
  END $$`,
  `CREATE FUNCTION userctx.erase_child_reads(log_cid uuid) RETURNS void
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF EXISTS (SELECT FROM userctx.child WHERE cid = log_cid) THEN
      RAISE EXCEPTION 'The access log of a child is erased with the child only';
    END IF;
    DELETE FROM userctx.child_read WHERE cid = log_cid;
    DELETE FROM userctx.child_read_chain WHERE cid = log_cid;
  END $$`,
];
