import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import { RadioNetworkEntity, DailySaltEntity } from '@family-watch/domain/positioning/entities/radio-network.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { NetworkState } from './network-state.js';
import type { LocationDistribution } from './plane.js';

/** A network and its storage key. */
export interface StoredNetwork extends NetworkState {
  key: string;
}

type NetworkRow = Omit<RadioNetworkEntity, 'strays'>;

type ConfirmedRow = LocationDistribution & { key: string };

const SALT_BYTES = 32;

/**
 * Stores the access points and cells that watches observed, and one random salt per day, which is deleted when its day is
 * over. Days are counted since 1970, in UTC.
 */
@Injectable()
export class RadioNetworkRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Finds the confirmed networks by key. */
  async findConfirmed(keys: readonly string[]): Promise<Map<string, LocationDistribution>> {
    const rows = await this.unitOfWork.prepared.query<ConfirmedRow>(FIND_CONFIRMED, [keys]);
    return new Map(rows.map(({ key, ...distribution }) => [key, distribution]));
  }

  /** Inserts missing networks and locks all of them until the transaction ends. */
  async lock(networks: readonly { key: string; kind: NetworkKind }[], day: number): Promise<StoredNetwork[]> {
    const keys = networks.map(({ key }) => key);
    await this.unitOfWork.prepared.query(INSERT_MISSING, [keys, networks.map(({ kind }) => kind), day]);
    const rows = await this.unitOfWork.prepared.query<NetworkRow>(LOCK_NETWORKS, [keys]);
    return rows.map(toNetwork);
  }

  async save(networks: readonly StoredNetwork[]): Promise<void> {
    await this.unitOfWork.prepared.query(SAVE_NETWORKS, [
      ...columnsOf(networks, 'key'),
      networks.map(({ distribution }) => distribution?.latitude ?? null),
      networks.map(({ distribution }) => distribution?.longitude ?? null),
      networks.map(({ distribution }) => distribution?.weight ?? null),
      networks.map(({ distribution }) => distribution?.squaredDistanceSum ?? null),
      ...columnsOf(networks, 'isConfirmed', 'support'),
      networks.map(({ observers }) => toArrayText(observers.map(({ tag }) => tag))),
      networks.map(({ observers }) => toArrayText(observers.map(({ weight }) => weight))),
      networks.map(({ contradictionTags }) => toArrayText(contradictionTags)),
      ...columnsOf(networks, 'contradictedDays', 'moveCount', 'blockedUntil', 'lastReportedOn'),
    ]);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(RadioNetworkEntity, { key: In(keys) });
  }

  /**
   * Deletes at most `limit` networks last observed before the given days.
   * @returns the number of deleted networks
   */
  async deleteUnobserved(days: { confirmed: number; unconfirmed: number }, limit: number): Promise<number> {
    const removed = await this.unitOfWork.executor.query(
      `delete from userctx.radio_network where network_key in (
         select network_key from userctx.radio_network
          where heard_on < $1 or (heard_on < $2 and not learned and moves = 0) limit $3) returning 1`,
      [days.confirmed, days.unconfirmed, limit],
    );
    return removed.length;
  }

  async findOrCreateSalt(day: number): Promise<Buffer> {
    const found = await this.findSalt(day);
    if (found) return found;
    const salt = { day, salt: randomBytes(SALT_BYTES) };
    await this.unitOfWork.manager.createQueryBuilder().insert().into(DailySaltEntity).values(salt).orIgnore().execute();
    const created = await this.findSalt(day);
    if (!created) throw new Error('The salt was deleted right after it was created or found');
    return created;
  }

  async deleteSaltsBefore(day: number): Promise<void> {
    await this.unitOfWork.manager.delete(DailySaltEntity, { day: LessThan(day) });
  }

  private async findSalt(day: number): Promise<Buffer | undefined> {
    const [row] = await this.unitOfWork.prepared.query<{ salt: Buffer }>(FIND_SALT, [day]);
    return row?.salt;
  }
}

/** Prepared: every report of networks reads the salt. */
const FIND_SALT = 'select salt from userctx.witness_salt where day = $1';

/** Prepared: every request for a position reads the networks. */
const FIND_CONFIRMED = `select network_key as key, latitude, longitude, weight, scatter as "squaredDistanceSum"
  from userctx.radio_network where network_key = any($1::uuid[]) and learned`;

/** Set-based, in key order, so that concurrent reports from the same street cannot deadlock. */
const INSERT_MISSING = `insert into userctx.radio_network (network_key, kind, heard_on)
  select key, kind, $3 from unnest($1::uuid[], $2::text[]) as input (key, kind) order by key
  on conflict on constraint radio_network_pk do nothing`;

// Computed: `support` is out of date in rows that were written by an earlier version of the app, which did not have the column.
const LOCK_NETWORKS = `select network_key as key, kind, latitude, longitude, weight, scatter as "squaredDistanceSum",
    learned as "isConfirmed",
    case when learned then greatest(support, 2) when latitude is null then 0 else 1 end as support,
    witnesses as "observerTags", witness_weights as "observerWeights", contradictions as "contradictionTags",
    contradicted_days as "contradictedDays", heard_on as "lastReportedOn", moves as "moveCount",
    blocked_until as "blockedUntil"
  from userctx.radio_network where network_key = any($1::uuid[]) order by network_key for update`;

/** Prepared and set-based: every report of scans writes its networks. */
const SAVE_NETWORKS = `update userctx.radio_network network
  set latitude = new.latitude, longitude = new.longitude, weight = new.weight, scatter = new.scatter,
      learned = new.learned, support = new.support, witnesses = new.witnesses::bigint[],
      witness_weights = new.witness_weights::float8[], contradictions = new.contradictions::bigint[],
      contradicted_days = new.contradicted_days, moves = new.moves, blocked_until = new.blocked_until,
      heard_on = new.heard_on
  from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::boolean[], $7::smallint[],
              $8::text[], $9::text[], $10::text[], $11::smallint[], $12::smallint[], $13::bigint[], $14::integer[])
    as new (key, latitude, longitude, weight, scatter, learned, support, witnesses, witness_weights, contradictions,
            contradicted_days, moves, blocked_until, heard_on)
  where network.network_key = new.key`;

/** A nested array parameter would have to be rectangular, so arrays of a row are sent as text. */
function toArrayText(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}

function toNetwork({
  latitude,
  longitude,
  weight,
  squaredDistanceSum,
  observerTags,
  observerWeights,
  ...rest
}: NetworkRow): StoredNetwork {
  const hasLocation = latitude !== null && longitude !== null && weight !== null && squaredDistanceSum !== null;
  const observers = observerTags.map((tag, index) => ({ tag, weight: observerWeights[index] ?? 0 }));
  return { ...rest, observers, distribution: hasLocation ? { latitude, longitude, weight, squaredDistanceSum } : null };
}
