import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { BindCodeDto } from '@family-watch/domain/watches/dto/watch.dto';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { WatchSecrets } from '../identity/watch-secrets.js';
import { WatchRepository } from '../watch.repository.js';
import { WatchBindingRepository } from './watch-binding.repository.js';

/** Seconds. */
export const BIND_CODE_TTL_SECONDS = 300;
const EXPIRY_INTERVAL_MS = 60_000;
const CODE_BYTES = 16;
const CONFIRM_DIGITS = 6;

/** A code whose halves were both correct when they were checked; `consume` decides whether the code is still valid. */
export interface VerifiedBindCode {
  did: number;
  codeDigest: Buffer;
  confirmDigest: Buffer;
}

/**
 * Issues the codes that an unbound watch shows. A code consists of 128 random bits and of six digits that only a person
 * who sees the watch can read.
 */
@Injectable()
export class BindCodeService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly bindings: WatchBindingRepository,
    private readonly watches: WatchRepository,
    private readonly secrets: WatchSecrets,
  ) {}

  /**
   * Creates a code.
   * @throws ServiceError WATCH_ALREADY_BOUND
   * @throws ServiceError WATCH_NOT_FOUND if the watch has been deleted
   */
  async create(did: number): Promise<BindCodeDto> {
    const bindCode = randomBytes(CODE_BYTES).toString('base64url');
    const confirmCode = String(randomInt(10 ** CONFIRM_DIGITS)).padStart(CONFIRM_DIGITS, '0');
    const digests = this.digestHalves(bindCode, confirmCode);
    await this.unitOfWork.run(async () => {
      // Locks the watch's row first, as binding does, so that a bound watch gets no code.
      if (!(await this.watches.recordContact(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      if (await this.bindings.findActive(did)) throw new ServiceError('WATCH_ALREADY_BOUND');
      await this.bindings.replaceCode({ did, ...digests, expiresAt: Date.now() + BIND_CODE_TTL_SECONDS * 1_000 });
    });
    return { bindCode, confirmCode, expiresIn: BIND_CODE_TTL_SECONDS };
  }

  /**
   * Checks both halves of a bind code. The try is counted and committed before the check. Unknown, expired and used
   * codes fail like wrong digits.
   * @throws ServiceError BIND_CODE_INVALID.
   */
  async verify(bindCode: string, confirmCode: string): Promise<VerifiedBindCode> {
    const { codeDigest, confirmDigest } = this.digestHalves(bindCode, confirmCode);
    const attempted = await this.unitOfWork.run(() => this.bindings.incrementCodeTries(codeDigest, Date.now()));
    if (!timingSafeEqual(attempted?.confirmDigest ?? Buffer.alloc(confirmDigest.length), confirmDigest) || !attempted)
      throw new ServiceError('BIND_CODE_INVALID');
    return { did: attempted.did, codeDigest, confirmDigest };
  }

  /**
   * Deletes the code. Must be called in the transaction that binds the watch.
   * @throws ServiceError BIND_CODE_INVALID.
   */
  async consume({ codeDigest, confirmDigest }: VerifiedBindCode): Promise<void> {
    if (!(await this.bindings.consumeCode(codeDigest, confirmDigest, Date.now())))
      throw new ServiceError('BIND_CODE_INVALID');
  }

  @OnJob('userctx.watches.delete-expired-codes', { intervalMs: EXPIRY_INTERVAL_MS })
  async deleteExpired(now: number): Promise<void> {
    await this.bindings.deleteExpiredCodes(now);
  }

  private digestHalves(bindCode: string, confirmCode: string): Pick<VerifiedBindCode, 'codeDigest' | 'confirmDigest'> {
    return {
      codeDigest: this.secrets.digestCode('bind', bindCode),
      confirmDigest: this.secrets.digestCode(`confirm\n${bindCode}`, confirmCode),
    };
  }
}
