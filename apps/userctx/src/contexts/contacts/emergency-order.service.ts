import { Injectable } from '@nestjs/common';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entities';
import { ContactRepository } from './contact.repository.js';

/** A contact that an SOS can notify: by its account if it has one, otherwise only by phone number. */
export type EmergencyContact = Pick<ContactEntity, 'refId' | 'userId' | 'areaCode' | 'phoneNumber'>;

/**
 * Provides the order in which an SOS notifies a child's contacts. Callers must check access with `FamilyAccessService`
 * first.
 */
@Injectable()
export class EmergencyOrderService {
  constructor(private readonly contacts: ContactRepository) {}

  /** Returns all contacts of the child by ascending `sosOrder`; empty when the family has no such child. */
  async findByChild(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.map(({ refId, userId, areaCode, phoneNumber }) => ({ refId, userId, areaCode, phoneNumber }));
  }
}
