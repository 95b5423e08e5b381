import { Injectable } from '@nestjs/common';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entities';
import { ContactRepository } from './contact.repository.js';

/** A member's permissions as a contact of one child. */
export type MemberContact = Pick<ContactEntity, 'refId' | 'canCall' | 'canChat' | 'canVideo' | 'schoolAllowed'> & {
  userId: string;
};

/** A contact that an SOS can notify: by its account if it has one, otherwise only by phone number. */
export type EmergencyContact = Pick<ContactEntity, 'refId' | 'userId' | 'areaCode' | 'phoneNumber'>;

/** Finds contacts for other contexts. Callers must check access with `FamilyAccessService` first. */
@Injectable()
export class ContactDirectoryService {
  constructor(private readonly contacts: ContactRepository) {}

  /** Returns the `refId` of every contact of the child. */
  async findRefIds(familyId: string, cid: string): Promise<ReadonlySet<string>> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return new Set(contacts.map(({ refId }) => refId));
  }

  /** Returns the members among the child's contacts. */
  async findMembers(familyId: string, cid: string): Promise<MemberContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.flatMap(({ userId, ...contact }) => (userId === null ? [] : [{ ...contact, userId }]));
  }

  /** Returns all contacts of the child by ascending `sosOrder`; empty when the family has no such child. */
  async findInEmergencyOrder(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.map(({ refId, userId, areaCode, phoneNumber }) => ({ refId, userId, areaCode, phoneNumber }));
  }
}
