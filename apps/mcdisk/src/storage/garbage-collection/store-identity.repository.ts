import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { StoreIdentityEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';

const INCREMENT_GENERATION = `
  INSERT INTO mcdisk.store_mark AS mark (store_id, generation, marked_at) VALUES ($1, 1, $3)
  ON CONFLICT (id) DO UPDATE SET generation = mark.generation + 1, marked_at = $3 WHERE mark.marked_at <= $2
  RETURNING store_id AS "storeId", generation`;

/**
 * Identifies the store that belongs to this database. The generation increases with each update. A copy of the identity
 * is in the store.
 */
export type StoreIdentity = Pick<StoreIdentityEntity, 'storeId' | 'generation'>;

@Injectable()
export class StoreIdentityRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns `null` if the identity was never stored. */
  find(): Promise<StoreIdentity | null> {
    return this.unitOfWork.manager.findOne(StoreIdentityEntity, {
      select: { storeId: true, generation: true },
      where: { id: 1 },
    });
  }

  /**
   * Increments the generation unless it was incremented after `before`. Exactly one of several concurrent callers
   * succeeds.
   * @returns the identity to write to the store
   */
  async incrementGeneration(before: number, now: number): Promise<StoreIdentity | undefined> {
    const parameters = [randomUUID(), before, now];
    const [row] = await this.unitOfWork.executor.query<StoreIdentity>(INCREMENT_GENERATION, parameters);
    return row;
  }

  /**
   * Replaces the identity in the database by the identity of an existing store. Only an operator who has verified that
   * the store belongs to this database may request the replacement.
   */
  async adopt({ storeId, generation }: StoreIdentity, now: number): Promise<void> {
    await this.unitOfWork.manager.upsert(StoreIdentityEntity, { id: 1, storeId, generation, updatedAt: now }, ['id']);
  }

  /** Deletes the identity, so that the database gets a new one together with an empty store. */
  async forget(): Promise<void> {
    await this.unitOfWork.manager.delete(StoreIdentityEntity, { id: 1 });
  }
}
