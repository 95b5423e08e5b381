/** Raw SQL: an upsert that increments the version and returns it, which TypeORM does not support. */
export const INCREMENT_SETTINGS_VERSION = `
  insert into userctx.settings_version as stored (cid, resource, family_id, version) values ($2, $3, $1, 1)
  on conflict (cid, resource) do update set version = stored.version + 1
  returning version`;

/** Raw SQL: one statement inserts several early exits and ignores those that are already stored. */
export const INSERT_EARLY_EXITS = `
  insert into userctx.school_early_exit (family_id, cid, did, reported_at, exit_id, time, school_time_id)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, * from unnest($5::uuid[], $6::bigint[], $7::uuid[])
  on conflict on constraint school_early_exit_once do nothing`;

/** Raw SQL: one statement inserts several calls and returns the ids of the calls that were not stored before. */
export const INSERT_STRANGER_CALLS = `
  insert into userctx.blocked_call
    (family_id, cid, did, reported_at, call_id, time, area_code, phone_number, cause, outcome)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, *
    from unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
  on conflict on constraint blocked_call_once do nothing
  returning call_id as "callId"`;
