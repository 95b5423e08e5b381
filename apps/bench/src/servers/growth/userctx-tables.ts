import type { BenchDatabase } from '../bench-database.js';
import { seedFamilies, seedLocations, type SeededFamily } from '../userctx-seed.js';

const CHILDREN_PER_FAMILY = 2;
const ACTIVE_POINTS_PER_CHILD = 60;
const POINTS_PER_CHILD = 5;
const POINT_INTERVAL_MS = 60_000;
/** Families whose ids are in memory at the same time. */
const BATCH_SIZE = 20_000;

/** Rows of userctx. Each family has two children with a watch, a current location and a short track. */
export class UserctxTables {
  /** Number of inserted families, including the active ones. */
  private familyCount = 0;
  private activeCount = 0;

  constructor(private readonly database: BenchDatabase) {}

  /** Inserts the families of existing accounts. Their children have a point each minute of the last hour. */
  async insertActiveFamilies(owners: readonly string[]): Promise<SeededFamily[]> {
    this.activeCount += owners.length;
    return this.insert(owners.length, ACTIVE_POINTS_PER_CHILD, owners);
  }

  async grow(count: number): Promise<void> {
    const end = this.activeCount + count;
    while (this.familyCount < end) await this.insert(Math.min(BATCH_SIZE, end - this.familyCount), POINTS_PER_CHILD);
    await seedLocations(this.database);
  }

  private async insert(families: number, points: number, owners?: readonly string[]): Promise<SeededFamily[]> {
    const size = { families, children: CHILDREN_PER_FAMILY, firstChild: this.familyCount * CHILDREN_PER_FAMILY };
    const seeded = await seedFamilies(this.database, size, owners);
    this.familyCount += families;
    const children = seeded.flatMap((family) => family.children);
    await this.database.query(
      `INSERT INTO userctx.location_point
         (did, position_time, point_type, cid, latitude, longitude, radius, flags, received_at)
       SELECT did, $3::bigint - k * ${POINT_INTERVAL_MS}, 1, cid, 31.2304, 121.4737, 20, 0, $3::bigint
       FROM generate_series(1, $4::int) AS k CROSS JOIN unnest($1::bigint[], $2::uuid[]) AS child (did, cid)`,
      [children.map(({ did }) => did), children.map(({ cid }) => cid), Date.now(), points],
    );
    return seeded;
  }
}
