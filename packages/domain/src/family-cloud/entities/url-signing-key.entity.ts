import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'link_key', schema: 'mcdisk' })
@Check('link_key_number', 'key_id > 0')
export class UrlSigningKeyEntity {
  @PrimaryColumn({ name: 'key_id', type: 'integer', primaryKeyConstraintName: 'link_key_pkey' })
  keyId: number;

  @Column({ name: 'secret', type: 'bytea' })
  secret: Buffer;

  @Column({ name: 'signs_from', type: 'bigint' })
  signsFrom: number;
}
