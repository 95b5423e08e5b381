import { Injectable } from '@nestjs/common';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';
import { ContactRepository } from './contact.repository.js';

/** What a member may, as a contact of one child. */
export type MemberContact = Pick<ContactEntity, 'refId' | 'canCall' | 'canChat' | 'canVideo' | 'schoolAllowed'> & {
  userId: string;
};

/** Answers other contexts' questions about contacts; whether the caller may know is asked of `FamilyAccess` first. */
@Injectable()
export class ContactDirectory {
  constructor(private readonly contacts: ContactRepository) {}

  /** The `refId` of everybody whom the child's watch can reach. */
  async refIdsOf(familyId: string, cid: string): Promise<ReadonlySet<string>> {
    const contacts = await this.contacts.ofChild(familyId, cid);
    return new Set(contacts.map(({ refId }) => refId));
  }

  /** The members among the child's contacts. */
  async membersOf(familyId: string, cid: string): Promise<MemberContact[]> {
    const contacts = await this.contacts.ofChild(familyId, cid);
    return contacts.flatMap(({ userId, ...contact }) => (userId === null ? [] : [{ ...contact, userId }]));
  }
}
