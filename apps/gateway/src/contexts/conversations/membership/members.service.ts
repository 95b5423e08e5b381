import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { KnownFamilies } from '../../families/known-families.service.js';
import type { MemberName } from './conversation-plan.js';
import { MembersRepository } from './members.repository.js';
import type { Membership } from './members.repository.js';

/** As whom somebody takes part in conversations. */
@Injectable()
export class MembersService {
  constructor(
    private readonly families: KnownFamilies,
    private readonly members: MembersRepository,
  ) {}

  /** A watch speaks as its child. @throws ServiceError WATCH_UNBOUND */
  async nameOf({ type, id }: Principal): Promise<MemberName> {
    if (type !== 'watch') return `user:${id}`;
    const child = await this.families.findByWatch(Number(id));
    if (!child) throw new ServiceError('WATCH_UNBOUND');
    return `child:${child.cid}`;
  }

  /** @throws ServiceError CONVERSATION_NOT_FOUND for a conversation that the caller is no member of; WATCH_UNBOUND */
  async membershipOf(caller: Principal, conversationId: string): Promise<Membership> {
    const member = await this.nameOf(caller);
    const found = isUuid(conversationId) ? await this.members.find(conversationId, member) : undefined;
    if (!found) throw new ServiceError('CONVERSATION_NOT_FOUND');
    return found;
  }
}
