import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { RadioNetworkEntity } from '@family-watch/domain/positioning/entities/radio-network.entities';
import { DailySaltEntity } from '@family-watch/domain/positioning/entities/radio-network.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { NetworkState } from './network-state.js';
import type { LocationDistribution } from './plane.js';
import {
  DELETE_NETWORKS,
  DELETE_UNOBSERVED_NETWORKS,
  FIND_CONFIRMED_NETWORKS,
  FIND_DAILY_SALT,
  INSERT_MISSING_NETWORKS,
  LOCK_NETWORKS,
  SAVE_NETWORKS,
} from './positioning.sql.js';

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
