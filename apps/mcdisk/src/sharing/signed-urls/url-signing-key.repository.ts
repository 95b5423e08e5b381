import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { UrlSigningKeyEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';

@Injectable()
export class UrlSigningKeyRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns all keys, oldest first. */
  findAll(): Promise<UrlSigningKeyEntity[]> {
    return this.unitOfWork.manager.find(UrlSigningKeyEntity, { order: { keyId: 'ASC' } });
  }

  /** Inserts a key unless a key with this id exists, because replicas may create the same key concurrently. */
  async insertIfAbsent(key: UrlSigningKeyEntity): Promise<void> {
    await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(UrlSigningKeyEntity)
      .values(key)
      .orIgnore()
      .execute();
  }

  async deleteBefore(keyId: number): Promise<void> {
    await this.unitOfWork.manager.delete(UrlSigningKeyEntity, { keyId: LessThan(keyId) });
  }
}
