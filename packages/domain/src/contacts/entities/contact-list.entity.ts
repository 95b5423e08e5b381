import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A child's contact list. The version determines whether the watch must fetch the list. */
@Entity({ schema: 'userctx', name: 'contact_list' })
export class ContactListEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'contact_list_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;
}
