import { Injectable } from '@nestjs/common';
import { ContactListEntity, ContactEntity } from '@family-watch/domain/families/entities/contact.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { RankedContact } from './contact-rules.js';

const INCREMENT_CONTACT_LIST_VERSION = `
  UPDATE userctx.contact_list SET version = version + 1 WHERE cid = $1 AND family_id = $2 RETURNING version`;

const REORDER_CONTACTS = `
  UPDATE userctx.contact SET sos_order = rank.sos_order
    FROM unnest($3::uuid[], $4::smallint[]) AS rank (ref_id, sos_order)
   WHERE contact.ref_id = rank.ref_id AND contact.cid = $2 AND contact.family_id = $1`;

/** The fields of a contact that can change. */
export type ContactChanges = Partial<Omit<ContactEntity, 'refId' | 'cid' | 'familyId' | 'userId' | 'createdAt'>>;

@Injectable()
export class ContactRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async createList(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.insert(ContactListEntity, { familyId, cid, version: 0 });
  }

  /** Deletes the contact list of a child with all its contacts. */
  async deleteList(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(ContactListEntity, { familyId, cid });
  }

  async findVersion(familyId: string, cid: string): Promise<number> {
    const list = await this.unitOfWork.manager.findOneBy(ContactListEntity, { familyId, cid });
    return list?.version ?? 0;
  }

  async nextVersion(familyId: string, cid: string): Promise<number> {
    const [list] = await this.unitOfWork.executor.query<{ version: number }>(INCREMENT_CONTACT_LIST_VERSION, [
      cid,
      familyId,
    ]);
    if (!list) throw new Error('The child has no contact list');
    return list.version;
  }

  findByChild(familyId: string, cid: string): Promise<ContactEntity[]> {
    return this.table.find({ where: { familyId, cid }, order: { sosOrder: 'ASC', createdAt: 'ASC', refId: 'ASC' } });
  }

  find(familyId: string, cid: string, refId: string): Promise<ContactEntity | null> {
    return this.table.findOneBy({ familyId, cid, refId });
  }

  findMember(familyId: string, cid: string, userId: string): Promise<ContactEntity | null> {
    return this.table.findOneBy({ familyId, cid, userId });
  }

  async add(contact: ContactEntity): Promise<void> {
    await this.table.insert(contact);
  }

  async update(familyId: string, refId: string, changes: ContactChanges): Promise<void> {
    await this.table.update({ familyId, refId }, changes);
  }

  /** Changes the ranks of several contacts of a child in one statement. */
  async reorder(familyId: string, cid: string, ranks: readonly RankedContact[]): Promise<void> {
    if (ranks.length === 0) return;
    await this.unitOfWork.executor.query(REORDER_CONTACTS, [familyId, cid, ...columnsOf(ranks, 'refId', 'sosOrder')]);
  }

  async remove(familyId: string, refId: string): Promise<void> {
    await this.table.delete({ familyId, refId });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ContactEntity);
  }
}
