import { Injectable } from '@nestjs/common';
import type { ContactChange } from '@family-watch/domain/contacts/contracts/contact.events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import type { ChildLink } from '../families/child-link.js';
import { ContactRepository } from './contact.repository.js';

/** Gives the list its next version with each change of a contact, and tells watch and members. */
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
