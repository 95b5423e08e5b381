import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { AccountRepository } from './account.repository.js';
import { SessionService } from './sessions/session.service.js';

/** Suspends and resumes accounts for operators. */
@Injectable()
export class AccountSuspensionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Ends all sessions of the account, which closes its sockets, and rejects further sign-ins. The family and its watches
   * are not affected. A repetition has no effect.
   * @throws ServiceError ACCOUNT_NOT_FOUND
   */
  async suspend(userId: string): Promise<void> {
    await this.assertExists(userId);
    await this.unitOfWork.run(async () => {
      if (!(await this.accounts.suspend(userId, Date.now()))) return;
      await this.sessions.end(userId, { exceptSessionId: null }, 'SUSPENDED');
    });
  }

  /**
   * Lets the person sign in again. A repetition has no effect.
   * @throws ServiceError ACCOUNT_NOT_FOUND
   */
  async resume(userId: string): Promise<void> {
    await this.assertExists(userId);
    await this.accounts.resume(userId);
  }

  private async assertExists(userId: string): Promise<void> {
    if (!isUuid(userId) || !(await this.accounts.findById(userId))) throw new ServiceError('ACCOUNT_NOT_FOUND');
  }
}
