import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that signs URLs, shared by all replicas. */
@Entity({ schema: 'mcdisk', name: 'link_key' })
@Check('link_key_number', 'key_id > 0')
export class UrlSigningKeyEntity {
  /** Increases with each new key. */
  @PrimaryColumn({ name: 'key_id', type: 'integer', primaryKeyConstraintName: 'link_key_pkey' })
  keyId: number;

  /** Random bytes, which are combined with SECRET_KEY if it is set. */
  @Column({ name: 'secret', type: 'bytea' })
  secret: Buffer;

  /** Unix milliseconds at which the key replaces the key before it for new URLs. */
  @Column({ name: 'signs_from', type: 'bigint' })
  signsFrom: number;
}
