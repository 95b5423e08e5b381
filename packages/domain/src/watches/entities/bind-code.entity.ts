import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { WatchEntity } from './watch.entity.js';

/** The current bind code of a watch; only digests are stored. */
@Entity({ name: 'bind_code', schema: 'userctx' })
@Unique('bind_code_digest_unique', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'bind_code_watch', onDelete: 'CASCADE' })
export class BindCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'bind_code_pk' })
  did: number;

  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  @Column({ name: 'confirm_digest', type: 'bytea' })
  confirmDigest: Buffer;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'tries', type: 'smallint', default: 0 })
  tries: number;
}
