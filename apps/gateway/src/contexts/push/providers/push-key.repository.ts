import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

export interface PushKey {
  publicKey: string;
  sealedPrivateKey: Buffer;
}

/** The one key pair that Web Push services know this service by. */
@Injectable()
export class PushKeyRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async find(): Promise<PushKey | undefined> {
    const [key] = await this.unitOfWork.executor.query<PushKey>(
      'SELECT public_key AS "publicKey", sealed_private_key AS "sealedPrivateKey" FROM gateway.push_key',
    );
    return key;
  }

  /** Of nodes that make one at once, the first one's is kept. */
  async insertIfAbsent({ publicKey, sealedPrivateKey }: PushKey): Promise<void> {
    await this.unitOfWork.executor.query(
      'INSERT INTO gateway.push_key (public_key, sealed_private_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [publicKey, sealedPrivateKey],
    );
  }
}
