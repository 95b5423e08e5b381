import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** One generation of the key that signs access tokens; shared by all replicas. */
@Entity({ schema: 'userctx', name: 'signing_key' })
@Unique('signing_key_kid_unique', ['kid'])
@Check('signing_key_generation_positive', 'generation > 0')
export class SigningKeyEntity {
  /**
   * Generations are 1, 2, 3, …; the primary key ensures that only one of several concurrent replicas creates a
   * generation.
   */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'signing_key_pkey' })
  generation!: number;

  @Column('text')
  kid!: string;

  /** Raw Ed25519 public key, base64url. */
  @Column('text', { name: 'public_key' })
  publicKey!: string;

  /** Raw Ed25519 private key, encrypted with SECRET_KEY and bound to the kid. */
  @Column('bytea', { name: 'sealed_private_key' })
  sealedPrivateKey!: Buffer;

  /**
   * Unix milliseconds from which the key signs. The public key is published before this time, so that every verifier
   * has fetched it before the first signature.
   */
  @Column('bigint', { name: 'signs_from' })
  signsFrom!: number;
}
