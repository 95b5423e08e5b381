import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * An enrolled watch. The `did` is assigned to the watch's public key. The IMEI is claimed by the watch and not
 * verified.
 */
@Entity({ name: 'watch', schema: 'userctx' })
@Unique('watch_public_key_unique', ['publicKey'])
@Check('watch_did_range', 'did between 1 and 9007199254740991')
@Check('watch_public_key_length', 'octet_length(public_key) = 32')
export class WatchEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'watch_pk' })
  did: number;

  /** Raw Ed25519 public key. */
  @Column({ name: 'public_key', type: 'bytea' })
  publicKey: Buffer;

  @Column({ name: 'imei', type: 'text' })
  imei: string;

  @Column({ name: 'model', type: 'text' })
  model: string;

  @Column({ name: 'firmware_version', type: 'text' })
  firmwareVersion: string;

  @Column({ name: 'enrolled_at', type: 'bigint' })
  enrolledAt: number;

  @Index('watch_last_contact')
  @Column({ name: 'last_contact_at', type: 'bigint' })
  lastContactAt: number;

  /** Time from which the service permanently rejects the key. */
  @Column({ name: 'revoked_at', type: 'bigint', nullable: true })
  revokedAt: number | null;
}
