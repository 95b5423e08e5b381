import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A revocation of access tokens before their expiry; stored until the last of these tokens has expired. */
@Entity({ schema: 'userctx', name: 'revocation' })
@Index('revocation_time', ['time'])
@Check('revocation_scope_single', 'num_nonnulls(session_id, principal) = 1')
export class RevocationEntity {
  @PrimaryColumn('uuid', { name: 'revocation_id', primaryKeyConstraintName: 'revocation_pkey' })
  revocationId!: string;

  /** Either `session_id` or `principal` is set. */
  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  /** `user:<userId>` or `watch:<did>`: revokes every token issued before `time`. */
  @Column('text', { nullable: true })
  principal!: string | null;

  /** Unix milliseconds. */
  @Column('bigint')
  time!: number;
}
