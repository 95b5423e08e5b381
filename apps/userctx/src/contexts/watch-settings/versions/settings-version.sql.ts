/** Computed: an upsert through TypeORM cannot add to the stored version and return the sum. */
export const INCREMENT_VERSION = `
  insert into userctx.settings_version as stored (cid, resource, family_id, version) values ($2, $3, $1, 1)
  on conflict (cid, resource) do update set version = stored.version + 1
  returning version`;
