import { Injectable } from '@nestjs/common';
import type { ContactChange } from '@family-watch/domain/contacts/contracts/contact';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../families/child-link.js';
import { ContactRepository } from './contact.repository.js';

/**
 * Assigns the next version of the contact list to each change of a contact and publishes it to the watch and the
 * members.
 */
@Injectable()
export class ContactChangeService {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  async record(
    { familyId, cid, did }: ChildLink,
    refId: string,
    change: ContactChange,
    by: PrincipalKey,
  ): Promise<void> {
    const version = await this.contacts.nextVersion(familyId, cid);
    const payload = { familyId, cid, did, refId, change, version, by };
    await this.outbox.append({ name: 'userctx.contact.changed', key: familyId, payload });
  }
}
