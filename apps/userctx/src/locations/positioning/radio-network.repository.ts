import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import {
  DailySaltEntity,
  type RadioNetworkEntity,
} from '@family-watch/domain/locations/entities/radio-network.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { NetworkState } from './network-state.js';
import type { LocationDistribution } from './offsets.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_DAILY_SALT = prepared('SELECT salt FROM userctx.witness_salt WHERE day = $1');

const FIND_CONFIRMED_NETWORKS =
  prepared(`SELECT network_key AS key, latitude, longitude, weight, scatter AS "squaredDistanceSum"
  FROM userctx.radio_network WHERE network_key = ANY($1::uuid[]) AND learned`);

/** Inserts in key order, so that concurrent reports from the same street cannot deadlock. */
const INSERT_MISSING_NETWORKS = prepared(`INSERT INTO userctx.radio_network (network_key, kind, heard_on)
  SELECT key, kind, $3 FROM unnest($1::uuid[], $2::text[]) AS input (key, kind) ORDER BY key
  ON CONFLICT ON CONSTRAINT radio_network_pkey DO NOTHING`);

/**
 * Locks in key order, so that concurrent reports from the same street cannot deadlock. The expression for `support`
 * corrects rows written by an earlier version of the app, which did not have the column.
 */
const LOCK_NETWORKS =
  prepared(`SELECT network_key AS key, kind, latitude, longitude, weight, scatter AS "squaredDistanceSum",
    learned AS "isConfirmed",
    CASE WHEN learned THEN greatest(support, 2) WHEN latitude IS NULL THEN 0 ELSE 1 END AS support,
    witnesses AS "observerTags", witness_weights AS "observerWeights", contradictions AS "contradictionTags",
    contradicted_days AS "contradictedDays", heard_on AS "lastReportedOn", moves AS "moveCount",
    blocked_until AS "blockedUntil"
  FROM userctx.radio_network WHERE network_key = ANY($1::uuid[]) ORDER BY network_key FOR UPDATE`);

const SAVE_NETWORKS = prepared(`UPDATE userctx.radio_network network
  SET latitude = new.latitude, longitude = new.longitude, weight = new.weight, scatter = new.scatter,
      learned = new.learned, support = new.support, witnesses = new.witnesses::bigint[],
      witness_weights = new.witness_weights::float8[], contradictions = new.contradictions::bigint[],
      contradicted_days = new.contradicted_days, moves = new.moves, blocked_until = new.blocked_until,
      heard_on = new.heard_on
  FROM unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::boolean[], $7::smallint[],
              $8::text[], $9::text[], $10::text[], $11::smallint[], $12::smallint[], $13::bigint[], $14::integer[])
    AS new (key, latitude, longitude, weight, scatter, learned, support, witnesses, witness_weights, contradictions,
            contradicted_days, moves, blocked_until, heard_on)
  WHERE network.network_key = new.key`);

/** Locks in key order, so that concurrent reports from the same street cannot deadlock. */
const DELETE_NETWORKS = `
  DELETE FROM userctx.radio_network WHERE network_key IN (
    SELECT network_key FROM userctx.radio_network WHERE network_key = ANY($1::uuid[]) ORDER BY network_key FOR UPDATE)`;

/** With SKIP LOCKED, the statement does not wait for reports of the same networks. */
const DELETE_UNOBSERVED_NETWORKS = `
  DELETE FROM userctx.radio_network WHERE network_key IN (
    SELECT network_key FROM userctx.radio_network
     WHERE heard_on < $1 OR (heard_on < $2 AND NOT learned AND moves = 0) LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING 1`;

/** A network and its storage key. */
export interface StoredNetwork extends NetworkState {
  key: string;
}

type NetworkRow = Omit<RadioNetworkEntity, 'strays'>;

type ConfirmedRow = LocationDistribution & { key: string };

const SALT_BYTES = 32;

/**
 * Stores the access points and cells that watches observed, and one random salt per day, which is deleted after the end
 * of the day. Days are counted since 1970, in UTC.
 */
@Injectable()
export class RadioNetworkRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Finds the confirmed networks by key. */
  async findConfirmed(keys: readonly string[]): Promise<Map<string, LocationDistribution>> {
    const rows = await this.unitOfWork.executor.query<ConfirmedRow>(FIND_CONFIRMED_NETWORKS, [keys]);
    return new Map(rows.map(({ key, ...distribution }) => [key, distribution]));
  }

  /** Locks the networks until the transaction ends and returns them. Inserts networks that are not stored yet. */
  async lock(networks: readonly { key: string; kind: NetworkKind }[], day: number): Promise<StoredNetwork[]> {
    const keys = networks.map(({ key }) => key);
    await this.unitOfWork.executor.query(INSERT_MISSING_NETWORKS, [keys, networks.map(({ kind }) => kind), day]);
    const rows = await this.unitOfWork.executor.query<NetworkRow>(LOCK_NETWORKS, [keys]);
    return rows.map(toNetwork);
  }

  async save(networks: readonly StoredNetwork[]): Promise<void> {
    await this.unitOfWork.executor.query(SAVE_NETWORKS, [
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
    await this.unitOfWork.executor.query(DELETE_NETWORKS, [keys]);
  }

  /**
   * Deletes at most `limit` networks that were last observed before the given days.
   * @returns the number of deleted networks
   */
  async deleteUnobserved(days: { confirmed: number; unconfirmed: number }, limit: number): Promise<number> {
    const removed = await this.unitOfWork.executor.query(DELETE_UNOBSERVED_NETWORKS, [
      days.confirmed,
      days.unconfirmed,
      limit,
    ]);
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
    const [row] = await this.unitOfWork.executor.query<{ salt: Buffer }>(FIND_DAILY_SALT, [day]);
    return row?.salt;
  }
}

/**
 * Returns PostgreSQL's text form of an array. A parameter for the arrays of several rows has to be an array of texts,
 * because a nested array cannot contain arrays of different lengths.
 */
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
