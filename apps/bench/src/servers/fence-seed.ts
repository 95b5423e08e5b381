import type { AttendanceWindow, FenceNotifications, FenceShape } from '@family-watch/domain/locations/contracts/fence';
import { HOME } from '../load/walked-point.js';
import type { BenchDatabase } from './bench-database.js';
import type { SeededFamily } from './userctx-seed.js';

const NOTIFICATIONS: FenceNotifications = { entered: true, left: true, dwelled: true };
const ATTENDANCE_WINDOWS: AttendanceWindow[] = [
  { weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '15:00', skipDates: [], notArrivedBy: '08:30', leftEarly: true },
];
const DWELL_SECONDS = 600;
/** Distance between two neighbouring fences, along the walk and across it. */
const FENCE_SPACING_DEGREES = 0.003;
const CIRCLE_RADIUS_METRES = 120;

/**
 * Inserts `count` fences for each child, alternately circles and polygons. Some fences are on the route that the watch
 * walks, others are far from the route. The first fence of each child has an attendance window on school days.
 */
export async function seedFences(
  database: BenchDatabase,
  families: readonly SeededFamily[],
  count: number,
): Promise<void> {
  const children = [families.map(({ familyId }) => familyId), families.map(({ children: [child] }) => child?.cid)];
  for (let index = 0; index < count; index += 1) {
    await database.query(
      `INSERT INTO userctx.fence (fence_id, cid, family_id, name, shape, notify, dwell, windows, enabled, version,
                                  active_from, created_at)
       SELECT gen_random_uuid(), cid, family_id, 'Fence', $3::jsonb, $4::jsonb, $5, $6::jsonb, true, 1, 0, $7
       FROM unnest($1::uuid[], $2::uuid[]) AS child (family_id, cid)`,
      [
        ...children,
        JSON.stringify(createShape(index)),
        JSON.stringify(NOTIFICATIONS),
        DWELL_SECONDS,
        JSON.stringify(index === 0 ? ATTENDANCE_WINDOWS : []),
        index,
      ],
    );
  }
  await database.query(
    `INSERT INTO userctx.fence_watch (cid, family_id, version, states)
     SELECT cid, family_id, 1, '[]' FROM unnest($1::uuid[], $2::uuid[]) AS child (family_id, cid)`,
    children,
  );
}

function createShape(index: number): FenceShape {
  const latitude = HOME.latitude + (index % 5) * FENCE_SPACING_DEGREES;
  const longitude = HOME.longitude + Math.floor(index / 5) * FENCE_SPACING_DEGREES;
  const pointAt = (north: number, east: number) => ({
    latitude: (latitude + north * (FENCE_SPACING_DEGREES / 3)).toFixed(6),
    longitude: (longitude + east * (FENCE_SPACING_DEGREES / 3)).toFixed(6),
  });
  if (index % 2 === 0) return { circle: { ...pointAt(0, 0), radius: CIRCLE_RADIUS_METRES }, polygon: null };
  const points = [
    pointAt(-1, -1),
    pointAt(-1, 0),
    pointAt(-1, 1),
    pointAt(0, 1.2),
    pointAt(1, 1),
    pointAt(1, 0),
    pointAt(1, -1),
    pointAt(0, -1.2),
  ];
  return { circle: null, polygon: { points } };
}
