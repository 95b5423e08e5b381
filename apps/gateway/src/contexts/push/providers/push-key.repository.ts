import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

export interface PushKey {
  publicKey: string;
  sealedPrivateKey: Buffer;
}

/** Stores the VAPID key pair of this service for Web Push. */
@Injectable()
export class PushKeyRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async find(): Promise<PushKey | undefined> {
    const [key] = await this.unitOfWork.executor.query<PushKey>(
      'SELECT public_key AS "publicKey", sealed_private_key AS "sealedPrivateKey" FROM gateway.push_key',
    );
    return key;
  }

  /** Inserts the key pair if none is stored. If several nodes insert a key pair concurrently, the first one is kept. */
  async insertIfAbsent({ publicKey, sealedPrivateKey }: PushKey): Promise<void> {
    await this.unitOfWork.executor.query(
      'INSERT INTO gateway.push_key (public_key, sealed_private_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [publicKey, sealedPrivateKey],
    );
  }
}
