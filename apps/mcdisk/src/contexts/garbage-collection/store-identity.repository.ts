import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/**
 * Identifies the store that belongs to this database. The generation increases with each update. A copy of the identity
 * is in the store.
 */
export interface StoreIdentity {
  storeId: string;
  generation: number;
}

@Injectable()
export class StoreIdentityRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns `undefined` if the identity was never stored. */
  async find(): Promise<StoreIdentity | undefined> {
    const [row] = await this.unitOfWork.executor.query<StoreIdentity>(
      `SELECT store_id AS "storeId", generation FROM mcdisk.store_mark`,
    );
    return row;
  }

  /**
   * Increments the generation unless it was incremented after `before`. Exactly one of several concurrent callers
   * succeeds.
   * @returns the identity to write to the store
   */
  async incrementGeneration(before: number, now: number): Promise<StoreIdentity | undefined> {
    const [row] = await this.unitOfWork.executor.query<StoreIdentity>(
      `INSERT INTO mcdisk.store_mark AS mark (store_id, generation, marked_at) VALUES ($1, 1, $3)
       ON CONFLICT (id) DO UPDATE SET generation = mark.generation + 1, marked_at = $3 WHERE mark.marked_at <= $2
       RETURNING store_id AS "storeId", generation`,
      [randomUUID(), before, now],
    );
    return row;
  }

  /**
   * Replaces the identity in the database by the identity of an existing store. Only an operator who has verified that
   * the store belongs to this database may request the replacement.
   */
  async adopt({ storeId, generation }: StoreIdentity, now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.store_mark (store_id, generation, marked_at) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET store_id = $1, generation = $2, marked_at = $3`,
      [storeId, generation, now],
    );
  }
}
