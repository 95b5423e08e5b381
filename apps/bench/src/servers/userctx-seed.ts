import { randomBytes, randomUUID } from 'node:crypto';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { partitionOf } from '@family-watch/event-bus/partition';
import type { BenchDatabase } from './bench-database.js';

/** A family that was inserted into userctx's tables: its owner, and children with one watch each. */
export interface SeededFamily {
  familyId: string;
  userId: string;
  children: { cid: string; did: number }[];
}

const FIRST_DID = 700_000_000_000;
/** Maximum number of families per statement. */
const BATCH_SIZE = 2_000;
/** Age of the inserted rows in milliseconds. */
const ROW_AGE_MS = 3_600_000;

/**
 * Inserts families, children and bound watches directly into the tables, because signing up thousands of accounts takes
 * minutes of password hashing.
 *
 * @param size - number of families, of children of each, and of the children that were inserted before
 * @param owners - user ids of existing accounts that own the first families
 */
export async function seedFamilies(
  database: BenchDatabase,
  { families, children, firstChild = 0 }: { families: number; children: number; firstChild?: number },
  owners: readonly string[] = [],
): Promise<SeededFamily[]> {
  let lastDid = FIRST_DID + firstChild;
  const seeded = Array.from({ length: families }, (_, index): SeededFamily => ({
    familyId: randomUUID(),
    userId: owners[index] ?? randomUUID(),
    children: Array.from({ length: children }, () => ({ cid: randomUUID(), did: ++lastDid })),
  }));
  for (let start = 0; start < seeded.length; start += BATCH_SIZE)
    await insertFamilies(database, seeded.slice(start, start + BATCH_SIZE));
  return seeded;
}

/** Inserts a current location and today's steps for every child that has none. */
export async function seedLocations(database: BenchDatabase): Promise<void> {
  await database.query(
    `INSERT INTO userctx.child_location
       (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
     SELECT cid, did, $1::bigint, 1, 31.2304, 121.4737, 20, 0, $1::bigint FROM userctx.family_child
     ON CONFLICT DO NOTHING`,
    [Date.now()],
  );
  await database.query(
    `INSERT INTO userctx.step_day (cid, day, steps)
     SELECT cid, current_date, 4321 FROM userctx.family_child
     ON CONFLICT DO NOTHING`,
  );
  await database.query('ANALYZE');
}

/** Inserts an event for each family into userctx's outbox; userctx's relay publishes them. */
export async function publishFamilies(database: BenchDatabase, families: readonly SeededFamily[]): Promise<void> {
  await database.query(
    `INSERT INTO userctx.outbox (id, partition, key, name, time, payload)
     SELECT id, partition, key, 'userctx.family.changed', $5::bigint, payload::json
     FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[]) AS event (id, partition, key, payload)`,
    [
      families.map(() => randomUUID()),
      families.map(({ familyId }) => partitionOf(familyId)),
      families.map(({ familyId }) => familyId),
      families.map((family) => JSON.stringify(toSnapshot(family))),
      Date.now(),
    ],
  );
}

async function insertFamilies(database: BenchDatabase, families: readonly SeededFamily[]): Promise<void> {
  const createdAt = Date.now() - ROW_AGE_MS;
  const ids = families.map(({ familyId }) => familyId);
  // Inserts families and owners in one statement, because a family must have an owner at the end of each transaction.
  await database.query(
    `WITH inserted_family AS (
       INSERT INTO userctx.family (family_id, owner_user_id, name, version, created_at)
       SELECT *, 'Family', 1, $3::bigint FROM unnest($1::uuid[], $2::uuid[])
       RETURNING family_id, owner_user_id
     )
     INSERT INTO userctx.family_member
       (family_id, user_id, role, permissions, name, area_code, phone_number, appellation, joined_at)
     SELECT family_id, owner_user_id, 1, '{LOCATION,CHAT,CALL,ALERTS,SETTINGS,REMOTE,CLOUD}', 'Anna', '+86',
            '13800000000', 'Mum', $3::bigint
     FROM inserted_family`,
    [ids, families.map(({ userId }) => userId), createdAt],
  );
  await insertChildren(database, families, createdAt);
}

async function insertChildren(
  database: BenchDatabase,
  families: readonly SeededFamily[],
  createdAt: number,
): Promise<void> {
  const children = families.flatMap(({ familyId, children: familyChildren }) =>
    familyChildren.map((child) => ({ ...child, familyId })),
  );
  const cids = children.map(({ cid }) => cid);
  const dids = children.map(({ did }) => did);
  const familyIds = children.map(({ familyId }) => familyId);
  await database.query(
    `INSERT INTO userctx.child (cid, family_id, name, phone_number, area_code, appellation, gender, weight, height,
                                time_zone, created_at)
     SELECT *, 'Mila', '13800000001', '+86', 'Mila', 0, 120, 120, 'Asia/Shanghai', $3::bigint
     FROM unnest($1::uuid[], $2::uuid[])`,
    [cids, familyIds, createdAt],
  );
  await database.query(
    `INSERT INTO userctx.family_child (cid, family_id, did, added_at)
     SELECT *, $4::bigint FROM unnest($1::uuid[], $2::uuid[], $3::bigint[])`,
    [cids, familyIds, dids, createdAt],
  );
  await database.query(
    `INSERT INTO userctx.watch (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at)
     SELECT did, decode(key, 'hex'), did::text, 'bench', '1', $3::bigint, $3::bigint
     FROM unnest($1::bigint[], $2::text[]) AS watch (did, key)`,
    [dids, dids.map(() => randomBytes(32).toString('hex')), createdAt],
  );
  await database.query(
    `INSERT INTO userctx.watch_binding (binding_id, did, cid, family_id, imei, bound_at)
     SELECT gen_random_uuid(), did, cid, family_id, did::text, $4::bigint
     FROM unnest($1::bigint[], $2::uuid[], $3::uuid[]) AS binding (did, cid, family_id)`,
    [dids, cids, familyIds, createdAt],
  );
  await database.query(
    `INSERT INTO userctx.watch_status (did, battery, charging, worn, signal, signal_max, last_seen)
     SELECT did, 80, false, true, 3, 4, $2::bigint FROM unnest($1::bigint[]) AS did`,
    [dids, createdAt],
  );
}

function toSnapshot({ familyId, userId, children }: SeededFamily): FamilySnapshot {
  return {
    familyId,
    version: 1,
    ownerUserId: userId,
    dissolved: false,
    members: [{ userId, role: FAMILY_ROLE.OWNER, permissions: [], childPermissions: {} }],
    children,
  };
}
