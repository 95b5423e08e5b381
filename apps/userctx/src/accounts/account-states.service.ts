import { Injectable } from '@nestjs/common';
import { requirePhone } from '@family-watch/domain/accounts/dto/phone-fields';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { ACCOUNT_STATE } from '@family-watch/domain/operators/contracts/directory';
import type {
  AccountListQueryDto,
  AccountStateDto,
  FindAccountDto,
} from '@family-watch/domain/operators/dto/directory.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { AccountRepository } from './account.repository.js';
import { SessionRepository } from './sessions/session.repository.js';

/** The state of an account, without the families of the person, which accounts do not know. */
export type AccountOnlyState = Omit<AccountStateDto, 'families'>;

/** Finds states of accounts for operators, without names and phone numbers. */
@Injectable()
export class AccountStatesService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionRepository,
  ) {}

  /**
   * Returns the account of a whole phone number; null if there is none.
   * @throws ServiceError VALIDATION_FAILED for a number that does not exist in the country
   */
  async findByPhone({ areaCode, phoneNumber }: FindAccountDto): Promise<AccountOnlyState | null> {
    const account = await this.accounts.findByPhone(requirePhone(areaCode, phoneNumber));
    const [state = null] = await this.statesOf(account ? [account] : []);
    return state;
  }

  /**
   * Returns a page of accounts, the newest first.
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async findPage({ state, userId, ...query }: AccountListQueryDto): Promise<Page<AccountOnlyState>> {
    const requested = decodeTimePage(query);
    if (userId !== undefined && !isUuid(userId)) return { items: [], nextCursor: null };
    const suspended = state && state === ACCOUNT_STATE.SUSPENDED;
    const page = await this.accounts.findPage({ userId, suspended }, requested);
    return { ...page, items: await this.statesOf(page.items) };
  }

  private async statesOf(accounts: readonly AccountEntity[]): Promise<AccountOnlyState[]> {
    const sessions = await this.sessions.countActive(
      accounts.map(({ userId }) => userId),
      Date.now(),
    );
    return accounts.map(({ userId, createdAt, suspendedAt, passwordHash }) => ({
      userId,
      createdAt,
      suspendedAt,
      hasPassword: passwordHash !== null,
      sessions: sessions.get(userId) ?? 0,
    }));
  }
}
