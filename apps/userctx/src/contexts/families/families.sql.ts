/** Raw: increments a version and returns the family in one statement, which TypeORM does not support. */
export const INCREMENT_FAMILY_VERSION = `
  update userctx.family set version = version + 1 where family_id = $1
  returning version, owner_user_id as "ownerUserId", dissolved_at is not null as dissolved`;
