import { Injectable } from '@nestjs/common';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { LocationDistribution } from './location-distribution.js';
import type { NetworkState } from './network-state.js';

/** A network and its storage key. */
export interface StoredNetwork extends NetworkState {
  key: string;
}

interface NetworkRow extends Omit<StoredNetwork, 'distribution'> {
  latitude: number | null;
  longitude: number | null;
  weight: number | null;
  scatter: number | null;
}

type ConfirmedRow = LocationDistribution & { key: string };

/** Stores the access points and cells that watches observed. Days are counted since 1970, in UTC. */
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

  /** @param day on which the networks were observed */
  async save(networks: readonly StoredNetwork[], day: number): Promise<void> {
    const column = <Value>(value: (network: StoredNetwork) => Value) => networks.map((network) => value(network));
    await this.unitOfWork.prepared.query(SAVE_NETWORKS, [
      column(({ key }) => key),
      column(({ distribution }) => distribution?.latitude ?? null),
      column(({ distribution }) => distribution?.longitude ?? null),
      column(({ distribution }) => distribution?.weight ?? null),
      column(({ distribution }) => distribution?.scatter ?? null),
      column(({ isConfirmed }) => isConfirmed),
      // Observer tags are sent as array text, because a nested array parameter would have to be rectangular.
      column(({ observerTags }) => `{${observerTags.join(',')}}`),
      column(({ outOfReachCount }) => outOfReachCount),
      column(({ moveCount }) => moveCount),
      column(({ blockedUntil }) => blockedUntil),
      day,
    ]);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.radio_network where network_key = any($1::uuid[])', [
      keys,
    ]);
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
}

const FIND_CONFIRMED = `select network_key as key, latitude, longitude, weight, scatter from userctx.radio_network
  where network_key = any($1::uuid[]) and learned`;

// Rows are inserted in key order, so that concurrent reports from the same street cannot deadlock.
const INSERT_MISSING = `insert into userctx.radio_network (network_key, kind, heard_on)
  select key, kind, $3 from unnest($1::uuid[], $2::text[]) as input (key, kind) order by key
  on conflict on constraint radio_network_pk do nothing`;

const LOCK_NETWORKS = `select network_key as key, kind, latitude, longitude, weight, scatter, learned as "isConfirmed",
    witnesses as "observerTags", strays as "outOfReachCount", moves as "moveCount", blocked_until as "blockedUntil"
  from userctx.radio_network where network_key = any($1::uuid[]) order by network_key for update`;

const SAVE_NETWORKS = `update userctx.radio_network network
  set latitude = new.latitude, longitude = new.longitude, weight = new.weight, scatter = new.scatter,
      learned = new.learned, witnesses = new.witnesses::bigint[], strays = new.strays, moves = new.moves,
      blocked_until = new.blocked_until, heard_on = $11
  from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::boolean[], $7::text[],
              $8::smallint[], $9::smallint[], $10::bigint[])
    as new (key, latitude, longitude, weight, scatter, learned, witnesses, strays, moves, blocked_until)
  where network.network_key = new.key`;

function toNetwork({ latitude, longitude, weight, scatter, ...rest }: NetworkRow): StoredNetwork {
  const hasLocation = latitude !== null && longitude !== null && weight !== null && scatter !== null;
  return { ...rest, distribution: hasLocation ? { latitude, longitude, weight, scatter } : null };
}
