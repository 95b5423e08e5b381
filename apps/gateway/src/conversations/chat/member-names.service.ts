import { Injectable } from '@nestjs/common';
import { canSeeChildren, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { readableAvatar, type Relation } from '@family-watch/domain/kernel/contracts/display-names';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ConversationDto } from '@family-watch/domain/messages/dto/conversation.dto';
import { GatewayNames } from '../../infrastructure/gateway-infrastructure.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import type { ConversationSummary, SummaryMember } from './chat-history.repository.js';

/**
 * Adds the names and pictures of their members to conversations. A picture is text that its family has set, and an app
 * that opens it tells the host of a URL the address of its user. Therefore pictures of other families are not returned.
 */
@Injectable()
export class MemberNamesService {
  constructor(
    private readonly names: GatewayNames,
    private readonly families: FamilyLookupService,
  ) {}

  /** Reads all names at once. A conversation has only current members, so a former member is not named. */
  async addTo(reader: Principal, conversations: readonly ConversationSummary[]): Promise<ConversationDto[]> {
    const names = await this.names.find(conversations.flatMap(({ members }) => members.map(keyOf)));
    const relations = await this.findRelations(reader);
    return conversations.map((conversation) => ({
      ...conversation,
      members: conversation.members.map((member) => {
        const key = keyOf(member);
        const { name = null, avatar = null } = names.get(key) ?? {};
        return { ...member, name, avatar: readableAvatar(avatar, relations.get(key)) };
      }),
    }));
  }

  /** Returns the relation of the reader to the members and children of the reader's families. */
  private async findRelations(reader: Principal): Promise<ReadonlyMap<MemberKey, Relation>> {
    const relations = new Map<MemberKey, Relation>();
    if (reader.type === 'user') relations.set(`user:${reader.id}`, 'FAMILY');
    for (const family of await this.findFamilies(reader)) {
      const inner = innerMembersOf(family);
      const isInner = reader.type === 'watch' || inner.includes(`user:${reader.id}`);
      const outer = family.members.map(({ userId }): MemberKey => `user:${userId}`);
      for (const key of [...outer, ...inner])
        if (relations.get(key) !== 'FAMILY') relations.set(key, isInner && inner.includes(key) ? 'FAMILY' : 'CONTACT');
    }
    return relations;
  }

  private async findFamilies({ type, id }: Principal): Promise<FamilySnapshot[]> {
    if (type !== 'watch') return this.families.findByMember(id);
    const bound = await this.families.findByWatch(Number(id));
    return bound ? [bound.family] : [];
  }
}

function keyOf({ userId, cid }: SummaryMember): MemberKey {
  return cid === null ? `user:${userId ?? ''}` : `child:${cid}`;
}

/** Returns the children of a family, and the members who may see them: all but its contacts. */
function innerMembersOf({ members, children }: FamilySnapshot): MemberKey[] {
  return [
    ...members.filter(canSeeChildren).map(({ userId }): MemberKey => `user:${userId}`),
    ...children.map(({ cid }): MemberKey => `child:${cid}`),
  ];
}
