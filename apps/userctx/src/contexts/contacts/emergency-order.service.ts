import { Injectable } from '@nestjs/common';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';
import { ContactRepository } from './contact.repository.js';

/** Somebody who can be asked for help: by the account where there is one, else by the number alone. */
export type EmergencyContact = Pick<ContactEntity, 'refId' | 'userId' | 'areaCode' | 'phoneNumber'>;

/** In which order a child's contacts are asked for help; whether the caller may know is asked of `FamilyAccessService` first. */
@Injectable()
export class EmergencyOrderService {
  constructor(private readonly contacts: ContactRepository) {}

  /** All contacts of the child by their `sosOrder`, the first to be asked first; empty for a child unknown to the family. */
  async findByChild(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.map(({ refId, userId, areaCode, phoneNumber }) => ({ refId, userId, areaCode, phoneNumber }));
  }
}
