import { Injectable } from '@nestjs/common';
import { PushKeyEntity } from '@family-watch/domain/messages/entities/push.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';

export type PushKey = Omit<PushKeyEntity, 'singleton'>;

/** Stores the VAPID key pair of this service for Web Push. */
@Injectable()
export class PushKeyRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  find(): Promise<PushKey | null> {
    return this.table.findOneBy({ singleton: true });
  }

  /** Inserts the key pair if none is stored. If several nodes insert a key pair concurrently, the first one is kept. */
  async insertIfAbsent({ publicKey, sealedPrivateKey }: PushKey): Promise<void> {
    await this.table
      .createQueryBuilder()
      .insert()
      .values({ publicKey, sealedPrivateKey })
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(PushKeyEntity);
  }
}
