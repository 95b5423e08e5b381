import { walkedPoint } from '../../load/walked-point.js';
import type { BenchDatabase } from '../bench-database.js';

/** Number of points that one watch sends in the burst of B5. */
const POINTS_PER_STATEMENT = 25;

/**
 * Inserts location points into the same rows, keys and indexes as userctx, without any other processing, over one
 * connection with one commit per watch.
 *
 * @returns the time in milliseconds
 */
export async function baselineInsert(database: BenchDatabase, points: number): Promise<number> {
  await database.query('CREATE TABLE public.bare_point (LIKE userctx.location_point INCLUDING ALL)');
  const statement = `INSERT INTO public.bare_point
      (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
    SELECT md5($1::text)::uuid, $1::bigint, time, 1, latitude, longitude, 10, 0, time
    FROM unnest($2::bigint[], $3::numeric[], $4::numeric[]) AS point (time, latitude, longitude)`;
  const now = Date.now();
  const startedAt = performance.now();
  for (let inserted = 0; inserted < points; inserted += POINTS_PER_STATEMENT) {
    const batch = Array.from({ length: POINTS_PER_STATEMENT }, (_, index) => walkedPoint(index, now + index));
    await database.connection.query({
      name: 'bare-point',
      text: statement,
      values: [
        inserted / POINTS_PER_STATEMENT,
        batch.map(({ positionTime }) => positionTime),
        batch.map(({ latitude }) => latitude),
        batch.map(({ longitude }) => longitude),
      ],
    });
  }
  return performance.now() - startedAt;
}
