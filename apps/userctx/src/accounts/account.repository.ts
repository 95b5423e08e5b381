import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import type { Phone } from '@family-watch/domain/accounts/contracts/account';
import { CALLING_CODES_WITH_FORMS, dialledForm, formsOf } from '@family-watch/domain/accounts/dto/phone-fields';
import { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { violatedUniqueConstraint } from '@family-watch/platform/errors/database-errors';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

/** Thrown when another account has the phone number. */
export class PhoneTakenError extends Error {
  override readonly name = 'PhoneTakenError';
}

/** An account and its phone number. */
export type AccountPhone = Pick<AccountEntity, 'userId' | 'areaCode' | 'phoneNumber'>;

/** Which accounts a page contains. */
export interface AccountSelection {
  userId?: string;
  suspended?: boolean;
}

@Injectable()
export class AccountRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findById(userId: string): Promise<AccountEntity | null> {
    return this.accounts.findOneBy({ userId });
  }

  findNames(userIds: readonly string[]): Promise<Pick<AccountEntity, 'userId' | 'nickname' | 'avatar'>[]> {
    return this.accounts.find({
      select: { userId: true, nickname: true, avatar: true },
      where: { userId: In(userIds) },
    });
  }

  /** Returns the account, which is not deleted until the current transaction ends. */
  findByIdForKeyShare(userId: string): Promise<AccountEntity | null> {
    return this.accounts.findOne({ where: { userId }, lock: { mode: 'for_key_share' } });
  }

  /**
   * Finds the account of a phone number in any of its forms. If two people have stored one number in two forms, returns the
   * account with the given form.
   */
  async findByPhone(phone: Phone): Promise<AccountEntity | null> {
    const forms = formsOf(phone);
    const accounts = await this.accounts.findBy(forms);
    const [first = null] = forms.flatMap((form) => accounts.filter((one) => one.phoneNumber === form.phoneNumber));
    return first;
  }

  /** Returns a page of accounts, the newest first. @param selection - all accounts, or those in a state, or one */
  findPage(selection: AccountSelection, page: TimePageRequest): Promise<Page<AccountEntity>> {
    const { userId, suspended } = selection;
    const filter = {
      ...(userId !== undefined && { userId }),
      ...(suspended !== undefined && { suspendedAt: suspended ? Not(IsNull()) : IsNull() }),
    };
    return findTimePage(this.accounts, filter, { time: 'createdAt', id: 'userId' }, page);
  }

  /** Returns accounts of countries in which a number has two forms, in the order of their ids. */
  findPageWithForms(limit: number, after?: Pick<AccountEntity, 'userId'>): Promise<AccountPhone[]> {
    return this.accounts.find({
      select: { userId: true, areaCode: true, phoneNumber: true },
      where: { areaCode: In(CALLING_CODES_WITH_FORMS), ...(after && { userId: MoreThan(after.userId) }) },
      order: { userId: 'ASC' },
      take: limit,
    });
  }

  /**
   * Stores a new account. Returns false when the phone number already has an account, in any of its forms. Of several
   * concurrent inserts of one phone number, exactly one succeeds.
   */
  async insert(account: AccountEntity): Promise<boolean> {
    return (await this.findByPhone(account)) === null && insertIfAbsent(this.accounts, account);
  }

  /**
   * Locks the account for share until commit, so that it is not suspended meanwhile. Returns null when password or phone
   * number changed since `version` was read.
   */
  lockCredentialsForShare(
    userId: string,
    version: number,
  ): Promise<Pick<AccountEntity, 'userId' | 'suspendedAt'> | null> {
    return this.accounts.findOne({
      select: { userId: true, suspendedAt: true },
      where: { userId, credentialVersion: version },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /** Returns false if the account does not exist or is already suspended. */
  async suspend(userId: string, now: number): Promise<boolean> {
    const { affected } = await this.accounts.update({ userId, suspendedAt: IsNull() }, { suspendedAt: now });
    return affected === 1;
  }

  /** Returns false if the account does not exist or is not suspended. */
  async resume(userId: string): Promise<boolean> {
    const { affected } = await this.accounts.update({ userId, suspendedAt: Not(IsNull()) }, { suspendedAt: null });
    return affected === 1;
  }

  /** Returns false when password or phone number changed since `version` was read. */
  async replacePassword(userId: string, version: number, passwordHash: string): Promise<boolean> {
    const { affected } = await this.accounts.update(
      { userId, credentialVersion: version },
      { passwordHash, credentialVersion: version + 1, updatedAt: Date.now() },
    );
    return affected === 1;
  }

  /** Replaces the hash by another hash of the same password, unless password or phone number have changed. */
  async renewPasswordHash({ userId, credentialVersion }: AccountEntity, passwordHash: string): Promise<void> {
    await this.accounts.update({ userId, credentialVersion }, { passwordHash });
  }

  /**
   * Returns false when password or phone number changed since `version` was read.
   * @throws PhoneTakenError when another account has the phone number
   */
  async replacePhone(userId: string, version: number, phone: Phone): Promise<boolean> {
    const { areaCode, phoneNumber } = dialledForm(phone);
    const owner = await this.findByPhone(phone);
    if (owner !== null && owner.userId !== userId) throw new PhoneTakenError();
    try {
      const { affected } = await this.accounts.update(
        { userId, credentialVersion: version },
        { areaCode, phoneNumber, credentialVersion: version + 1, updatedAt: Date.now() },
      );
      return affected === 1;
    } catch (error) {
      throw violatedUniqueConstraint(error) === undefined ? error : new PhoneTakenError();
    }
  }

  /** Leaves omitted fields unchanged. Returns the updated account, or null when the account does not exist. */
  async updateProfile(
    userId: string,
    changes: Partial<Pick<AccountEntity, 'nickname' | 'avatar' | 'timeZone'>>,
  ): Promise<AccountEntity | null> {
    await this.accounts.update({ userId }, { ...changes, updatedAt: Date.now() });
    return this.findById(userId);
  }

  private get accounts() {
    return this.unitOfWork.manager.getRepository(AccountEntity);
  }
}
