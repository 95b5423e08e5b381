import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { VerifiedNonce } from './watch-secrets.js';

/** Makes a stateless nonce usable once. Used nonces are stored until they would have expired. */
@Injectable()
export class UsedNonceRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns false if the nonce was used before. Exactly one concurrent caller succeeds. */
  async markUsed({ bytes, expiresAt }: VerifiedNonce): Promise<boolean> {
    const used = await this.unitOfWork.executor.query(
      'insert into userctx.used_nonce (nonce, expires_at) values ($1, $2) on conflict do nothing returning 1',
      [bytes, expiresAt],
    );
    return used.length === 1;
  }

  async deleteExpired(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.used_nonce where expires_at <= $1', [now]);
  }
}
