/** Set-based: inserts any number of reports in one statement. */
export const INSERT_EARLY_EXITS = `
  insert into userctx.school_early_exit (family_id, cid, did, reported_at, exit_id, time, school_time_id)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, * from unnest($5::uuid[], $6::bigint[], $7::uuid[])
  on conflict on constraint school_early_exit_once do nothing`;
