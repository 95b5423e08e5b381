import { Injectable } from '@nestjs/common';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';
import { ContactRepository } from './contact.repository.js';

/** What a member may, as a contact of one child. */
export type MemberContact = Pick<ContactEntity, 'refId' | 'canCall' | 'canChat' | 'canVideo' | 'schoolAllowed'> & {
  userId: string;
};

/** Answers other contexts' questions about contacts; whether the caller may know is asked of `FamilyAccessService` first. */
@Injectable()
export class ContactDirectoryService {
  constructor(private readonly contacts: ContactRepository) {}

  /** The `refId` of everybody whom the child's watch can reach. */
  async findRefIds(familyId: string, cid: string): Promise<ReadonlySet<string>> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return new Set(contacts.map(({ refId }) => refId));
  }

  /** The members among the child's contacts. */
  async findMembers(familyId: string, cid: string): Promise<MemberContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.flatMap(({ userId, ...contact }) => (userId === null ? [] : [{ ...contact, userId }]));
  }
}
