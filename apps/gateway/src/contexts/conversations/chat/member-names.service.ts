import { Injectable } from '@nestjs/common';
import { canSeeChildren } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ConversationDto } from '@family-watch/domain/messages/dto/conversation.dto';
import { GatewayNames } from '../../../infrastructure/gateway-infrastructure.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import type { ConversationSummary, SummaryMember } from './chat-history.repository.js';

/** An avatar that everybody can open; any other avatar is a reference that only the family's apps can resolve. */
const URL_PATTERN = /^https?:\/\//i;

/** Adds the names and pictures of their members to conversations. */
@Injectable()
export class MemberNamesService {
  constructor(
    private readonly names: GatewayNames,
    private readonly families: FamilyLookupService,
  ) {}

  /** Reads all names at once. A conversation has only current members, so a former member is not named. */
  async addTo(reader: Principal, conversations: readonly ConversationSummary[]): Promise<ConversationDto[]> {
    const names = await this.names.find(conversations.flatMap(({ members }) => members.map(keyOf)));
    const ownFamily = await this.findOwnFamily(reader);
    return conversations.map((conversation) => ({
      ...conversation,
      members: conversation.members.map((member) => {
        const key = keyOf(member);
        const { name = null, avatar = null } = names.get(key) ?? {};
        const isReadable = avatar !== null && (URL_PATTERN.test(avatar) || ownFamily.has(key));
        return { ...member, name, avatar: isReadable ? avatar : null };
      }),
    }));
  }

  /** Returns the members and children of the families whose pictures the reader can open. */
  private async findOwnFamily(reader: Principal): Promise<ReadonlySet<MemberKey>> {
    return new Set((await this.findFamilies(reader)).flatMap(membersOf));
  }

  private async findFamilies({ type, id }: Principal): Promise<FamilySnapshot[]> {
    if (type === 'watch') {
      const bound = await this.families.findByWatch(Number(id));
      return bound ? [bound.family] : [];
    }
    const families = await this.families.findByMember(id);
    return families.filter(({ members }) => members.some((each) => each.userId === id && canSeeChildren(each)));
  }
}

function keyOf({ userId, cid }: SummaryMember): MemberKey {
  return cid === null ? `user:${userId ?? ''}` : `child:${cid}`;
}

function membersOf({ members, children }: FamilySnapshot): MemberKey[] {
  return [
    ...members.map(({ userId }): MemberKey => `user:${userId}`),
    ...children.map(({ cid }): MemberKey => `child:${cid}`),
  ];
}
