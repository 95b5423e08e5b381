import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan } from 'typeorm';
import { SignInLinkEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { hashCapabilityToken } from '@family-watch/platform/auth/random-codes';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@Injectable()
export class SignInLinkRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(link: SignInLinkEntity): Promise<void> {
    await this.links.insert(link);
  }

  /** Returns the unused link with this token, or null when the token is unknown or has expired. */
  find(token: string, now: number): Promise<SignInLinkEntity | null> {
    return this.links.findOneBy({ tokenHash: hashCapabilityToken(token), expiresAt: MoreThan(now) });
  }

  /** Deletes the link, so that it cannot be used again. Returns true for exactly one of several concurrent callers. */
  async consume(token: string): Promise<boolean> {
    const { affected } = await this.links.delete({ tokenHash: hashCapabilityToken(token) });
    return affected === 1;
  }

  @OnJob('userctx.accounts.delete-expired-links', { intervalMs: 60_000 })
  async deleteExpired(now: number): Promise<void> {
    await this.links.delete({ expiresAt: LessThan(now) });
  }

  private get links() {
    return this.unitOfWork.manager.getRepository(SignInLinkEntity);
  }
}
