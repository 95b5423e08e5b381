import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entity';
import { AccountRepository } from './account.repository.js';

/** What other contexts may know of a person. */
export type AccountProfile = Pick<AccountEntity, 'userId' | 'nickname' | 'areaCode' | 'phoneNumber' | 'timeZone'>;

/** Answers other contexts' questions about people. */
@Injectable()
export class AccountDirectoryService {
  constructor(private readonly accounts: AccountRepository) {}

  /** Null when there is no such account. */
  async findProfile(userId: string): Promise<AccountProfile | null> {
    const account = await this.accounts.findById(userId);
    if (!account) return null;
    const { nickname, areaCode, phoneNumber, timeZone } = account;
    return { userId, nickname, areaCode, phoneNumber, timeZone };
  }
}
