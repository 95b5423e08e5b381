/** Raw because of ON CONFLICT DO UPDATE with a condition. */
export const INCREMENT_GENERATION = `
  INSERT INTO mcdisk.store_mark AS mark (store_id, generation, marked_at) VALUES ($1, 1, $3)
  ON CONFLICT (id) DO UPDATE SET generation = mark.generation + 1, marked_at = $3 WHERE mark.marked_at <= $2
  RETURNING store_id AS "storeId", generation`;
