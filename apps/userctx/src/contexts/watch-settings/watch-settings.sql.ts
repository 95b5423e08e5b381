/** Raw: computed: an upsert through TypeORM cannot add to the stored version and return the sum. */
export const INCREMENT_VERSION = `
  insert into userctx.settings_version as stored (cid, resource, family_id, version) values ($2, $3, $1, 1)
  on conflict (cid, resource) do update set version = stored.version + 1
  returning version`;

/** Raw: set-based: inserts any number of reports in one statement. */
export const INSERT_EARLY_EXITS = `
  insert into userctx.school_early_exit (family_id, cid, did, reported_at, exit_id, time, school_time_id)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, * from unnest($5::uuid[], $6::bigint[], $7::uuid[])
  on conflict on constraint school_early_exit_once do nothing`;

/** Raw: set-based: inserts any number of calls in one statement and returns the ids of the new ones. */
export const INSERT_CALLS = `
  insert into userctx.blocked_call
    (family_id, cid, did, reported_at, call_id, time, area_code, phone_number, cause, outcome)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, *
    from unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
  on conflict on constraint blocked_call_once do nothing
  returning call_id as "callId"`;
