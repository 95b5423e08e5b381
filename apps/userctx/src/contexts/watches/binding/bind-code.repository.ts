import { Injectable } from '@nestjs/common';
import type { BindCodeEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

const MAX_TRIES = 5;

/** A valid bind code of which the caller has sent the long half (128 random bits). */
export type AttemptedBindCode = Pick<BindCodeEntity, 'did' | 'confirmDigest'>;

/** Stores codes by which a watch can be bound. Times are Unix milliseconds. */
@Injectable()
export class BindCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the watch's current code, which replaces the previous one and starts with no counted tries. */
  async replace(code: Omit<BindCodeEntity, 'tries'>): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.bind_code (did, code_digest, confirm_digest, expires_at) values ($1, $2, $3, $4)
       on conflict (did) do update
         set code_digest = excluded.code_digest, confirm_digest = excluded.confirm_digest,
             expires_at = excluded.expires_at, tries = 0`,
      [code.did, code.codeDigest, code.confirmDigest, code.expiresAt],
    );
  }

  /**
   * Counts a try before the code is checked, so that concurrent guesses share the limit of five. Returns undefined if
   * the code has no try left.
   */
  async incrementTries(codeDigest: Buffer, now: number): Promise<AttemptedBindCode | undefined> {
    const [attempted] = await this.unitOfWork.executor.query<AttemptedBindCode>(
      `update userctx.bind_code set tries = tries + 1
        where code_digest = $1 and expires_at > $2 and tries < $3
       returning did, confirm_digest as "confirmDigest"`,
      [codeDigest, now, MAX_TRIES],
    );
    return attempted;
  }

  /** Deletes the code. Exactly one concurrent caller succeeds. */
  async consume(codeDigest: Buffer, confirmDigest: Buffer, now: number): Promise<boolean> {
    const consumed = await this.unitOfWork.executor.query(
      `delete from userctx.bind_code where code_digest = $1 and confirm_digest = $2 and expires_at > $3 returning 1`,
      [codeDigest, confirmDigest, now],
    );
    return consumed.length === 1;
  }

  async deleteExpired(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.bind_code where expires_at <= $1', [now]);
  }
}
