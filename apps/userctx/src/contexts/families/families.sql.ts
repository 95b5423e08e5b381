/** Raw: computed: an update through TypeORM cannot add to the stored version and return the family. */
export const INCREMENT_VERSION = `
  update userctx.family set version = version + 1 where family_id = $1
  returning version, owner_user_id as "ownerUserId", dissolved_at is not null as dissolved`;
