import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { AccountRepository } from './account.repository.js';

/** The fields of an account that other contexts may read. */
export type AccountProfile = Pick<AccountEntity, 'userId' | 'nickname' | 'areaCode' | 'phoneNumber' | 'timeZone'>;

/** Finds accounts for other contexts. */
@Injectable()
export class AccountDirectoryService {
  constructor(private readonly accounts: AccountRepository) {}

  /** Returns null when the account does not exist. */
  async findProfile(userId: string): Promise<AccountProfile | null> {
    const account = await this.accounts.findById(userId);
    if (!account) return null;
    const { nickname, areaCode, phoneNumber, timeZone } = account;
    return { userId, nickname, areaCode, phoneNumber, timeZone };
  }
}
