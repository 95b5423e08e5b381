import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { SigningKeyEntity } from '@family-watch/domain/accounts/entities/session.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@Injectable()
export class SigningKeyRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns all keys, oldest first. */
  findAll(): Promise<SigningKeyEntity[]> {
    return this.unitOfWork.manager.find(SigningKeyEntity, { order: { generation: 'ASC' } });
  }

  /**
   * Stores the key unless a key of its generation exists. When replicas create a generation concurrently, the first key
   * is kept.
   */
  async insertIfAbsent(key: SigningKeyEntity): Promise<void> {
    await this.unitOfWork.manager.createQueryBuilder().insert().into(SigningKeyEntity).values(key).orIgnore().execute();
  }

  async removeBefore(generation: number): Promise<void> {
    await this.unitOfWork.manager.delete(SigningKeyEntity, { generation: LessThan(generation) });
  }
}
