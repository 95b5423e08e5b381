import { Injectable } from '@nestjs/common';
import { EmergencyOrderService } from '../contacts/emergency-order.service.js';
import type { EmergencyContact } from '../contacts/emergency-order.service.js';
import { isAllowedForChild } from '../families/permission-matrix.js';
import { FamilyRosterService } from '../families/family-roster.service.js';

/** Selects the recipients of alerts about a child. */
@Injectable()
export class AlertRecipientsService {
  constructor(
    private readonly roster: FamilyRosterService,
    private readonly order: EmergencyOrderService,
  ) {}

  /**
   * Returns the recipients in notification order: contacts without an account, and the members who may see alerts.
   * Returns an empty list for a deleted child.
   */
  async findByChild(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const children = await this.roster.findChildren(familyId);
    if (!children.some((child) => child.cid === cid)) return [];
    const members = await this.roster.findMembers(familyId);
    const permittedUserIds = new Set(
      members.filter((member) => isAllowedForChild(member, 'SEE_ALERTS', cid)).map(({ userId }) => userId),
    );
    const contacts = await this.order.findByChild(familyId, cid);
    return contacts.filter(({ userId }) => userId === null || permittedUserIds.has(userId));
  }
}
