import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An `Idempotency-Key` of a caller's request, and the stored response. Each app's schema has its own table. */
@Entity({ name: 'idempotency_key' })
export class IdempotencyKeyEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'idempotency_key_pkey' })
  principal: string;

  @PrimaryColumn({ name: 'operation', type: 'text', primaryKeyConstraintName: 'idempotency_key_pkey' })
  operation: string;

  @PrimaryColumn({ name: 'key', type: 'text', primaryKeyConstraintName: 'idempotency_key_pkey' })
  key: string;

  /** SHA-256 of the request, to detect that a key is reused with a different request. */
  @Column({ name: 'request_digest', type: 'bytea' })
  requestDigest: Buffer;

  /** Null until the request has succeeded. */
  @Column({ name: 'answer', type: 'jsonb', nullable: true })
  response: unknown;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}
