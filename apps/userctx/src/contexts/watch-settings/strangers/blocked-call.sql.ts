/** Set-based: inserts any number of calls in one statement and returns the ids of the new ones. */
export const INSERT_CALLS = `
  insert into userctx.blocked_call
    (family_id, cid, did, reported_at, call_id, time, area_code, phone_number, cause, outcome)
  select $1::uuid, $2::uuid, $3::bigint, $4::bigint, *
    from unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
  on conflict on constraint blocked_call_once do nothing
  returning call_id as "callId"`;
