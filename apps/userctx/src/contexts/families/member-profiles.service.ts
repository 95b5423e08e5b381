import { Injectable } from '@nestjs/common';
import { IDENTITY_TYPE } from '@family-watch/domain/contacts/contracts/contact';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ProfileService } from '../accounts/profile.service.js';
import type { MemberIdentity } from './family-roster.service.js';

/** The profile of a person who becomes a member. */
export interface MemberProfile {
  identity: MemberIdentity;
  /** IANA name of the person's time zone, which is the default for new children. */
  timeZone: string;
}

/** Reads profiles from the accounts context. Must be called before a transaction is opened. */
@Injectable()
export class MemberProfilesService {
  constructor(private readonly accounts: ProfileService) {}

  /**
   * @throws ServiceError TOKEN_REVOKED when the account no longer exists; an access token may briefly outlive its
   * account
   */
  async get(userId: string): Promise<MemberProfile> {
    const profile = await this.find(userId);
    if (!profile) throw new ServiceError('TOKEN_REVOKED');
    return profile;
  }

  async find(userId: string): Promise<MemberProfile | null> {
    const profile = await this.accounts.findProfile(userId);
    if (!profile) return null;
    const { nickname: name, areaCode, phoneNumber, timeZone } = profile;
    const identity = { name, areaCode, phoneNumber, appellation: name, identityType: IDENTITY_TYPE.CUSTOM };
    return { identity, timeZone };
  }
}
