import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** An IMEI that may enrol, and the manufacturer's key that must sign the watch's key. */
@Entity({ name: 'enrolment_list_entry', schema: 'userctx' })
@Check('enrolment_list_entry_key_length', 'octet_length(maker_key) = 32')
export class EnrolmentListEntryEntity {
  @PrimaryColumn({ name: 'imei', type: 'text', primaryKeyConstraintName: 'enrolment_list_entry_pk' })
  imei: string;

  /** Raw Ed25519 public key. */
  @Column({ name: 'maker_key', type: 'bytea' })
  makerKey: Buffer;

  @Column({ name: 'listed_at', type: 'bigint' })
  listedAt: number;
}
