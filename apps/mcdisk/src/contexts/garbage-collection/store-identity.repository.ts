import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** Which store belongs to this database, and how often it was marked; the store keeps a copy. */
export interface StoreIdentity {
  storeId: string;
  generation: number;
}

@Injectable()
export class StoreIdentityRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** `undefined` before the first mark. */
  async find(): Promise<StoreIdentity | undefined> {
    const [row] = await this.unitOfWork.executor.query<StoreIdentity>(
      `SELECT store_id AS "storeId", generation FROM mcdisk.store_mark`,
    );
    return row;
  }

  /**
   * Counts one further, unless that was done after `before`: of those who ask at one time one gets a mark.
   * @returns the mark that the store is to get now
   */
  async advance(before: number, now: number): Promise<StoreIdentity | undefined> {
    const [row] = await this.unitOfWork.executor.query<StoreIdentity>(
      `INSERT INTO mcdisk.store_mark AS mark (store_id, generation, marked_at) VALUES ($1, 1, $3)
       ON CONFLICT (id) DO UPDATE SET generation = mark.generation + 1, marked_at = $3 WHERE mark.marked_at <= $2
       RETURNING store_id AS "storeId", generation`,
      [randomUUID(), before, now],
    );
    return row;
  }

  /** Takes over a store as it is marked: for an operator who knows that it belongs to this database. */
  async adopt({ storeId, generation }: StoreIdentity, now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.store_mark (store_id, generation, marked_at) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET store_id = $1, generation = $2, marked_at = $3`,
      [storeId, generation, now],
    );
  }
}
