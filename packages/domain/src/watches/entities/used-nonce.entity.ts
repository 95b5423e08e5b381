import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A nonce that a watch has used. Nonces are stateless: only used ones are stored, until they would have expired. */
@Entity({ name: 'used_nonce', schema: 'userctx' })
@Index('used_nonce_expires', ['expiresAt'])
export class UsedNonceEntity {
  @PrimaryColumn({ name: 'nonce', type: 'bytea', primaryKeyConstraintName: 'used_nonce_pk' })
  nonce: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
