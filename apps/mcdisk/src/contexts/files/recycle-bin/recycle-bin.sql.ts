/** Raw because ON CONFLICT DO UPDATE computes the later time. */
export const REQUEST_EMPTYING = `
  INSERT INTO mcdisk.bin_emptying AS existing (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)
  ON CONFLICT (cloud_id) DO UPDATE
    SET requested_by = excluded.requested_by,
        recycled_until = greatest(existing.recycled_until, excluded.recycled_until)`;
