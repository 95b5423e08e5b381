import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { SigningKey } from '@family-watch/domain/accounts/entities/signing-key.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

@Injectable()
export class SigningKeyRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Oldest first. */
  findAll(): Promise<SigningKey[]> {
    return this.unitOfWork.manager.find(SigningKey, { order: { generation: 'ASC' } });
  }

  /** Of replicas that make the same generation at once, the first one's key is kept. */
  async insertUnlessMade(key: SigningKey): Promise<void> {
    await this.unitOfWork.manager.createQueryBuilder().insert().into(SigningKey).values(key).orIgnore().execute();
  }

  async removeBefore(generation: number): Promise<void> {
    await this.unitOfWork.manager.delete(SigningKey, { generation: LessThan(generation) });
  }
}
