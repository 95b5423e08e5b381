import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** A short-lived address for reading one content, bound to who asked for it. */
@Entity({ schema: 'mcdisk', name: 'download_link' })
export class DownloadLinkEntity {
  /** SHA-256 of the token; the token itself is nowhere. */
  @PrimaryColumn({ name: 'token_hash', type: 'bytea', primaryKeyConstraintName: 'download_link_pkey' })
  tokenHash: Buffer;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'content_id', type: 'uuid' })
  contentId: string;

  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  @Column({ name: 'session_id', type: 'text' })
  sessionId: string;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
