import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireContactPhone } from '@family-watch/domain/accounts/dto/phone-fields';
import { MAX_CONTACTS_PER_CHILD, IDENTITY_TYPE, CONTACT_CHANGE } from '@family-watch/domain/families/contracts/contact';
import type {
  ContactDto,
  ContactListDto,
  ContactReferenceDto,
  CreateContactDto,
  UpdateContactDto,
} from '@family-watch/domain/families/dto/contact.dto';
import type { ContactEntity } from '@family-watch/domain/families/entities/contact.entities';
import { FAMILY_ROLE, type FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService, type ChildAccess } from '../family-access.service.js';
import { FamilyRosterService } from '../family-roster.service.js';
import { FamilySnapshotsService } from '../family-snapshots.service.js';
import { validateContactChange, canChangeRole, lastRank, shiftRanks } from './contact-rules.js';
import { ContactRepository, type ContactChanges } from './contact.repository.js';
import { MemberContactsService } from './member-contacts.service.js';

/**
 * Manages contact lists. Requests name the watch (`deviceId`); the contacts belong to the child and remain when the
 * watch is unbound.
 */
@Injectable()
export class ContactsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly snapshots: FamilySnapshotsService,
    private readonly contacts: ContactRepository,
    private readonly memberContacts: MemberContactsService,
  ) {}

  async list(caller: Principal, deviceId: number): Promise<ContactListDto> {
    const { familyId, cid } = await this.access.requireForWatch(caller, deviceId, 'SEE_CONTACTS');
    const version = await this.contacts.findVersion(familyId, cid);
    const items = await this.contacts.findByChild(familyId, cid);
    return { version, items: items.map(toContact), nextCursor: null };
  }

  async create(caller: Principal, request: CreateContactDto): Promise<ContactDto> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, request.deviceId, 'CHANGE_CONTACTS');
      const { role = FAMILY_ROLE.CONTACT } = request;
      assertRoleChange(child, FAMILY_ROLE.CONTACT, role);
      const others = await this.contacts.findByChild(child.familyId, child.cid);
      if (others.length >= MAX_CONTACTS_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const contact: ContactEntity = {
        refId: randomUUID(),
        cid: child.cid,
        familyId: child.familyId,
        userId: null,
        role,
        name: request.name,
        ...requireContactPhone(request.areaCode, request.phoneNumber),
        appellation: request.appellation ?? request.name,
        identityType: request.identityType ?? IDENTITY_TYPE.CUSTOM,
        sosOrder: request.sosOrder ?? lastRank(others),
        canCall: request.canCall ?? true,
        canChat: false,
        canVideo: false,
        schoolAllowed: request.schoolAllowed ?? false,
        createdAt: Date.now(),
      };
      await this.contacts.reorder(child.familyId, child.cid, shiftRanks(others, contact.sosOrder));
      await this.contacts.add(contact);
      await this.memberContacts.recordChange(child, contact.refId, CONTACT_CHANGE.CREATED, principalKey(caller));
      return toContact(contact);
    });
  }

  /**
   * Updates a contact (specification 4.3). A member has the same role for every child of the family, so a new role
   * applies to all children. A new `sosOrder` shifts other contacts, see {@link shiftRanks}.
   */
  async update(caller: Principal, request: UpdateContactDto): Promise<ContactDto> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, request.deviceId, 'CHANGE_CONTACTS');
      const contact = await this.findContact(child, request.refId);
      const role = request.role ?? contact.role;
      assertRoleChange(child, contact.role, role);
      const details = validateContactChange(request, contact.userId !== null);
      if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
      const changes = toChanges(request, contact);
      if (contact.userId !== null && role !== contact.role) {
        await this.changeMemberRole(caller, child.familyId, contact.userId, role);
        delete changes.role;
      }
      if (Object.keys(changes).length > 0) {
        if (changes.sosOrder !== undefined) await this.shiftOthers(contact, changes.sosOrder);
        await this.contacts.update(child.familyId, contact.refId, changes);
        await this.memberContacts.recordChange(child, contact.refId, CONTACT_CHANGE.UPDATED, principalKey(caller));
      }
      return toContact({ ...contact, ...changes, role });
    });
  }

  /** Deletes a contact without an account. Members remain contacts as long as they are members. */
  async delete(caller: Principal, request: ContactReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, request.deviceId, 'CHANGE_CONTACTS');
      const contact = await this.findContact(child, request.refId);
      if (contact.userId !== null) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
      await this.contacts.remove(child.familyId, contact.refId);
      await this.memberContacts.recordChange(child, contact.refId, CONTACT_CHANGE.DELETED, principalKey(caller));
    });
  }

  private async changeMemberRole(caller: Principal, familyId: string, userId: string, role: FamilyRole): Promise<void> {
    await this.roster.updateMember(familyId, userId, { role });
    await this.memberContacts.syncMembers(familyId, principalKey(caller));
    await this.snapshots.publish(familyId);
  }

  /**
   * Changes the ranks of the other contacts. No event is published for them, because recipients of the event about
   * the updated contact reload the entire list.
   */
  private async shiftOthers({ familyId, cid, refId }: ContactEntity, rank: number): Promise<void> {
    const others = (await this.contacts.findByChild(familyId, cid)).filter((other) => other.refId !== refId);
    await this.contacts.reorder(familyId, cid, shiftRanks(others, rank));
  }

  private async findContact({ familyId, cid }: ChildAccess, refId: string): Promise<ContactEntity> {
    const contact = isUuid(refId) ? await this.contacts.find(familyId, cid, refId) : null;
    if (!contact) throw new ServiceError('CONTACT_NOT_FOUND');
    return contact;
  }
}

function assertRoleChange({ member }: ChildAccess, from: FamilyRole, to: FamilyRole): void {
  if (!member || !canChangeRole(member.role, from, to)) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
}

/**
 * Returns the requested fields that differ from the current values. A request that changes no value publishes no event.
 */
function toChanges(
  { deviceId, refId, areaCode, phoneNumber, ...request }: UpdateContactDto,
  contact: ContactEntity,
): ContactChanges {
  const isPhoneRequested = areaCode !== undefined || phoneNumber !== undefined;
  const phone = isPhoneRequested
    ? requireContactPhone(areaCode ?? contact.areaCode, phoneNumber ?? contact.phoneNumber)
    : undefined;
  const requested = { ...request, ...phone };
  const fields = Object.keys(requested) as (keyof typeof requested)[];
  const changed = fields.filter((field) => requested[field] !== undefined && requested[field] !== contact[field]);
  return Object.fromEntries(changed.map((field) => [field, requested[field]]));
}

function toContact({ familyId, userId, createdAt, ...contact }: ContactEntity): ContactDto {
  return { ...contact, ...(userId === null ? {} : { userId }) };
}
