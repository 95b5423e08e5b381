/** Raw SQL: changes one field of a JSON value. The snapshot of a dissolved family still names its last owner. */
export const CLEAR_OWNERS = `
  UPDATE gateway.family SET snapshot = jsonb_set(snapshot::jsonb, '{ownerUserId}', '"erased"')::json
  WHERE family_id = ANY($1::text[]) AND snapshot ->> 'ownerUserId' = $2`;
