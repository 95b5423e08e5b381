/** Raw SQL: increments the version of a family and returns the family in one statement. */
export const INCREMENT_FAMILY_VERSION = `
  update userctx.family set version = version + 1 where family_id = $1
  returning version, owner_user_id as "ownerUserId", dissolved_at is not null as dissolved`;
