import { walkedPoint } from '../../load/walked-point.js';
import type { BenchDatabase } from '../bench-database.js';

/** Points of a statement: as many as one watch sends in the burst. */
const AT_ONCE = 25;

/**
 * What it takes to store points and nothing else: the same rows, keys and indexes, a commit per watch's list, one
 * connection. Milliseconds.
 */
export async function baselineInsert(database: BenchDatabase, points: number): Promise<number> {
  await database.query('CREATE TABLE public.bare_point (LIKE userctx.location_point INCLUDING ALL)');
  const statement = `INSERT INTO public.bare_point
      (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
    SELECT md5($1::text)::uuid, $1::bigint, time, 1, latitude, longitude, 10, 0, time
    FROM unnest($2::bigint[], $3::numeric[], $4::numeric[]) AS point (time, latitude, longitude)`;
  const now = Date.now();
  const startedAt = performance.now();
  for (let done = 0; done < points; done += AT_ONCE) {
    const list = Array.from({ length: AT_ONCE }, (_, index) => walkedPoint(index, now + index));
    await database.connection.query({
      name: 'bare-point',
      text: statement,
      values: [
        done / AT_ONCE,
        list.map(({ positionTime }) => positionTime),
        list.map(({ latitude }) => latitude),
        list.map(({ longitude }) => longitude),
      ],
    });
  }
  return performance.now() - startedAt;
}
