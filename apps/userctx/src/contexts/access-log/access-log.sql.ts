/**
 * Raw SQL: inserts the rows that are missing for children that exist. The lock on the child delays its erasure until the
 * transaction ends.
 */
export const CREATE_CHAINS = `
  with existing as (select cid from userctx.child where cid = any ($1::uuid[]) order by cid for key share)
  insert into userctx.child_read_chain (cid) select cid from existing on conflict do nothing`;

/** Raw SQL: functions of the schema, because the runtime role may not delete entries. */
export const DELETE_EXPIRED_READS = 'select userctx.delete_expired_child_reads($1, $2)';

/** Raw SQL, like {@link DELETE_EXPIRED_READS}. */
export const ERASE_READS = 'select userctx.erase_child_reads($1)';
