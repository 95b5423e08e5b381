import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxRevocationPublisher, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { RevocationRepository } from './revocation.repository.js';

const RETENTION_INTERVAL_MS = 60_000;
/**
 * Revocations are retained for twice the lifetime of an access token, as a margin for clock differences and for
 * processes that read revocations late.
 */
const RETENTION_MS = 2 * ACCESS_TOKEN_FORMAT.lifetime * 1000;

/** Revokes access tokens before they expire. */
@Injectable()
export class RevocationService {
  private readonly logger = new Logger(RevocationService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly repository: RevocationRepository,
    private readonly publisher: UserctxRevocationPublisher,
  ) {}

  /**
   * Stores revocations in the current transaction and publishes them to every app after the commit.
   * @param time Unix milliseconds. Revokes the tokens of the given scopes that were issued before `time`. To revoke a
   * principal permanently, pass a time in the future: a concurrent request may have checked the principal before the
   * revocation and may sign a token after it.
   */
  async record(scopes: readonly Revocation['scope'][], time = Date.now()): Promise<void> {
    if (scopes.length === 0) return;
    const revocations = scopes.map((scope) => ({ id: randomUUID(), scope, time }));
    await this.unitOfWork.run(async () => {
      await this.repository.insert(revocations);
      this.unitOfWork.afterCommit(() => void this.publish(revocations));
    });
  }

  @OnJob('userctx.accounts.delete-old-revocations', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.repository.prune(now - RETENTION_MS);
  }

  /** If publishing fails, the revocation feed recovers the revocations from the table. */
  private async publish(revocations: Revocation[]): Promise<void> {
    try {
      await this.publisher.revoke(revocations);
    } catch (error) {
      this.logger.warn({ msg: 'Revocation publish failed', err: error });
    }
  }
}
