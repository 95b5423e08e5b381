/** Raw because it is prepared: each request reads the family of its cloud. */
export const FIND_SNAPSHOT_WITH_CLOUD = `
  SELECT p.snapshot FROM mcdisk.family_projection p JOIN mcdisk.family_cloud c ON c.cloud_id = p.family_id
   WHERE p.family_id = $1`;

/** Raw because of ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_FAMILY_IF_NEWER = `
  INSERT INTO mcdisk.family_projection AS existing (family_id, version, snapshot, principals)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, principals = excluded.principals
    WHERE existing.version < excluded.version
  RETURNING version`;
