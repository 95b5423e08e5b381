import { Injectable } from '@nestjs/common';
import type { ProfileDto, UpdateProfileDto } from '@family-watch/domain/accounts/dto/profile.dto';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountRepository } from './account.repository.js';

/** The fields of an account that other contexts may read. */
export type AccountProfile = Pick<AccountEntity, 'userId' | 'nickname' | 'areaCode' | 'phoneNumber' | 'timeZone'>;

/** Reads and updates the caller's profile. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly accounts: AccountRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  async get({ id }: Principal): Promise<ProfileDto> {
    return toProfile(await this.accounts.findById(id));
  }

  /** Leaves omitted fields unchanged. */
  async update({ id: userId }: Principal, { nickname, avatar, timeZone }: UpdateProfileDto): Promise<ProfileDto> {
    const account = await this.unitOfWork.run(async () => {
      const updated = await this.accounts.updateProfile(userId, {
        ...(nickname === undefined ? {} : { nickname }),
        ...(avatar === undefined ? {} : { avatar }),
        ...(timeZone === undefined ? {} : { timeZone }),
      });
      await this.outbox.append({ name: 'userctx.profile.changed', key: `user:${userId}`, payload: { userId } });
      return updated;
    });
    return toProfile(account);
  }

  /** Returns null when the account does not exist. */
  async findProfile(userId: string): Promise<AccountProfile | null> {
    const account = await this.accounts.findById(userId);
    if (!account) return null;
    const { nickname, areaCode, phoneNumber, timeZone } = account;
    return { userId, nickname, areaCode, phoneNumber, timeZone };
  }
}

/**
 * @throws ServiceError TOKEN_REVOKED when the account no longer exists; an access token may briefly outlive its account
 */
function toProfile(account: AccountEntity | null): ProfileDto {
  if (!account) throw new ServiceError('TOKEN_REVOKED');
  const { userId, areaCode, phoneNumber, nickname, avatar, timeZone, createdAt } = account;
  const hasPassword = account.passwordHash !== null;
  return { userId, areaCode, phoneNumber, nickname, avatar, timeZone, hasPassword, createdAt };
}
