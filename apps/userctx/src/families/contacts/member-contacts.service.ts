import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CONTACT_CHANGE, type IdentityType, type ContactChange } from '@family-watch/domain/families/contracts/contact';
import type { ContactEntity } from '@family-watch/domain/families/entities/contact.entities';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyRosterService, type ChildLink } from '../family-roster.service.js';
import { FamilySnapshotsService } from '../family-snapshots.service.js';
import { lastRank, shiftRanks, planContactSync } from './contact-rules.js';
import { ContactRepository } from './contact.repository.js';

/** What a child's contact list shows about a member, such as the appellation "Mama". */
export type MemberDescription = Partial<Pick<ContactEntity, 'appellation' | 'identityType'>>;

/** A member's permissions as a contact of one child. */
export type MemberContact = Pick<ContactEntity, 'refId' | 'canCall' | 'canChat' | 'canVideo' | 'schoolAllowed'> & {
  userId: string;
};

/** A contact that an SOS can notify: by its account if it has one, otherwise only by phone number. */
export type EmergencyContact = Pick<ContactEntity, 'refId' | 'userId' | 'areaCode' | 'phoneNumber'>;

/**
 * Keeps every member in the contact list of every child, publishes changes of contacts, and finds contacts for other
 * rooms. Changes run in the caller's transaction. Callers must check access with `FamilyAccessService` first.
 */
@Injectable()
export class MemberContactsService {
  constructor(
    private readonly roster: FamilyRosterService,
    private readonly contacts: ContactRepository,
    private readonly outbox: UserctxOutbox,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /** Creates the empty contact list of a new child; {@link syncMembers} adds the members. */
  async createList(familyId: string, cid: string): Promise<void> {
    await this.contacts.createList(familyId, cid);
  }

  /** Deletes all contacts of an erased child. */
  async deleteList(familyId: string, cid: string): Promise<void> {
    await this.contacts.deleteList(familyId, cid);
  }

  /** Synchronizes the contacts of all the family's children with its members. */
  async syncMembers(familyId: string, by: PrincipalKey): Promise<void> {
    const members = await this.roster.findMembers(familyId);
    for (const child of await this.roster.findChildren(familyId)) await this.syncChild(child, members, by);
  }

  /**
   * Updates what the child calls a member (`appellation`) and the member's relation to the child (`identityType`) in
   * the child's contact list, for example when the member states both while binding the watch. Omitted fields are
   * unchanged.
   */
  async updateDescription(
    child: ChildLink,
    userId: string,
    change: MemberDescription,
    by: PrincipalKey,
  ): Promise<void> {
    const { appellation, identityType } = change;
    if (appellation === undefined && identityType === undefined) return;
    const contact = await this.contacts.findMember(child.familyId, child.cid, userId);
    if (!contact) throw new Error('The member is not among the contacts');
    await this.contacts.update(child.familyId, contact.refId, { appellation, identityType });
    await this.recordChange(child, contact.refId, CONTACT_CHANGE.UPDATED, by);
  }

  /** Assigns the next version of the contact list to a change and publishes it to the watch and the members. */
  async recordChange(
    { familyId, cid, did }: ChildLink,
    refId: string,
    change: ContactChange,
    by: PrincipalKey,
  ): Promise<void> {
    const version = await this.contacts.nextVersion(familyId, cid);
    await this.outbox.appendForFamily('userctx.contact.changed', { familyId, cid, did, refId, change, version, by });
  }

  /**
   * Publishes a change of the family's members. The family snapshot is published before the contacts, so that consumers
   * have stored a new member before they receive the member's contacts.
   */
  async publishMemberChange(familyId: string, by: PrincipalKey): Promise<void> {
    await this.snapshots.publish(familyId);
    await this.syncMembers(familyId, by);
  }

  /** Returns the `refId` of every contact of the child. */
  async findRefIds(familyId: string, cid: string): Promise<ReadonlySet<string>> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return new Set(contacts.map(({ refId }) => refId));
  }

  /** Returns the child's contacts that are members of the family. */
  async findMemberContacts(familyId: string, cid: string): Promise<MemberContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.flatMap(({ userId, ...contact }) => (userId === null ? [] : [{ ...contact, userId }]));
  }

  /** Returns all contacts of the child by ascending `sosOrder`; empty when the family has no such child. */
  async findInEmergencyOrder(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const contacts = await this.contacts.findByChild(familyId, cid);
    return contacts.map(({ refId, userId, areaCode, phoneNumber }) => ({ refId, userId, areaCode, phoneNumber }));
  }

  private async syncChild(child: ChildLink, members: FamilyMemberEntity[], by: PrincipalKey): Promise<void> {
    const contacts = await this.contacts.findByChild(child.familyId, child.cid);
    const plan = planContactSync(members, contacts);
    for (const refId of plan.remove) {
      await this.contacts.remove(child.familyId, refId);
      await this.recordChange(child, refId, CONTACT_CHANGE.DELETED, by);
    }
    for (const { refId, copiedFields } of plan.change) {
      await this.contacts.update(child.familyId, refId, copiedFields);
      await this.recordChange(child, refId, CONTACT_CHANGE.UPDATED, by);
    }
    for (const member of plan.add) {
      const existing = await this.contacts.findByChild(child.familyId, child.cid);
      const contact = createContact(member, child, lastRank(existing));
      await this.contacts.reorder(child.familyId, child.cid, shiftRanks(existing, contact.sosOrder));
      await this.contacts.add(contact);
      await this.recordChange(child, contact.refId, CONTACT_CHANGE.CREATED, by);
    }
  }
}

function createContact(member: FamilyMemberEntity, { familyId, cid }: ChildLink, sosOrder: number): ContactEntity {
  const { userId, name, phoneNumber, areaCode, appellation, identityType, role } = member;
  return {
    refId: randomUUID(),
    cid,
    familyId,
    userId,
    name,
    phoneNumber,
    areaCode,
    appellation,
    identityType: identityType as IdentityType,
    role,
    sosOrder,
    canCall: true,
    canChat: true,
    canVideo: true,
    schoolAllowed: role <= FAMILY_ROLE.GUARDIAN,
    createdAt: Date.now(),
  };
}
