/** Raw because the entity of the table belongs to platform. */
export const DELETE_IDEMPOTENCY_KEYS = `DELETE FROM mcdisk.idempotency_key WHERE principal = $1`;
