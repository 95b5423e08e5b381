import { Injectable } from '@nestjs/common';
import { EmergencyOrder } from '../contacts/emergency-order.service.js';
import type { EmergencyContact } from '../contacts/emergency-order.service.js';
import { mayForChild } from '../families/access-table.js';
import { FamilyRoster } from '../families/family-roster.service.js';

/** Answers who is to be told when a child needs help. */
@Injectable()
export class AlertRecipients {
  constructor(
    private readonly roster: FamilyRoster,
    private readonly order: EmergencyOrder,
  ) {}

  /**
   * In the order in which they are told: contacts without an account, and the members who may see alerts. Nobody for
   * a child that was deleted.
   */
  async ofChild(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const children = await this.roster.childrenOf(familyId);
    if (!children.some((child) => child.cid === cid)) return [];
    const members = await this.roster.membersOf(familyId);
    const mayKnow = new Set(
      members.filter((member) => mayForChild(member, 'SEE_ALERTS', cid)).map(({ userId }) => userId),
    );
    const contacts = await this.order.emergencyOrder(familyId, cid);
    return contacts.filter(({ userId }) => userId === null || mayKnow.has(userId));
  }
}
