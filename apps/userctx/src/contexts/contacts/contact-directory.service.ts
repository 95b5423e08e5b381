import { Injectable } from '@nestjs/common';
import { ContactRepository } from './contact.repository.js';

/** Answers other contexts' questions about contacts; whether the caller may know is asked of `FamilyAccess` first. */
@Injectable()
export class ContactDirectory {
  constructor(private readonly contacts: ContactRepository) {}

  /** The `refId` of everybody whom the child's watch can reach. */
  async refIdsOf(familyId: string, cid: string): Promise<ReadonlySet<string>> {
    const contacts = await this.contacts.ofChild(familyId, cid);
    return new Set(contacts.map(({ refId }) => refId));
  }
}
