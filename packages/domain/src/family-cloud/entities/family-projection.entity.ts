import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FamilySnapshot } from '../../families/contracts/membership.js';

/** Who belongs to a family, as userctx told it last; the highest version stays. */
@Entity({ schema: 'mcdisk', name: 'family_projection' })
export class FamilyProjectionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'family_projection_pkey' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'snapshot', type: 'jsonb' })
  snapshot: FamilySnapshot;

  /** Keys of every principal that belongs to the family (`user:…`, `watch:…`), to find the families of one. */
  @Column({ name: 'principals', type: 'text', array: true })
  principals: string[];
}
