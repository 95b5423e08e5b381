import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'used_nonce', schema: 'userctx' })
@Index('used_nonce_expires', ['expiresAt'])
export class UsedNonceEntity {
  @PrimaryColumn({ name: 'nonce', type: 'bytea', primaryKeyConstraintName: 'used_nonce_pk' })
  nonce: Buffer;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
