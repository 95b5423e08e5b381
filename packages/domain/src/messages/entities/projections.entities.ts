import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ChildRules } from '../../watches/contracts/child-rules.js';
import type { FamilySnapshot } from '../../families/contracts/membership.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from '../../locations/contracts/location.js';

/** The latest family snapshot that userctx has published. */
@Entity({ schema: 'gateway', name: 'family' })
@Index('family_changed', ['changedAt'])
export class FamilyProjectionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'family_pkey' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'snapshot', type: 'json' })
  snapshot: FamilySnapshot;

  /** When the snapshot was stored, by the clock of the database. Unix milliseconds. */
  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}

/** A principal of a family in {@link FamilyProjectionEntity}: a member or a bound watch. */
@Entity({ schema: 'gateway', name: 'family_principal' })
@ForeignKey(() => FamilyProjectionEntity, ['familyId'], ['familyId'], { name: 'family_principal_family_fkey' })
@Index('family_principal_principal', ['principal'])
export class FamilyPrincipalEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'family_principal_pkey' })
  familyId: string;

  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'family_principal_pkey' })
  principal: PrincipalKey;
}

/** The latest published location of a child. */
@Entity({ schema: 'gateway', name: 'child_position' })
@Index('child_position_family', ['familyId'])
export class LatestLocationEntity {
  @PrimaryColumn({ name: 'cid', type: 'text', primaryKeyConstraintName: 'child_position_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'message_id', type: 'uuid' })
  messageId: string;

  /**
   * When userctx published the location, in Unix milliseconds. `location.positionTime` is the time of the measurement.
   */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'location', type: 'json' })
  location: Location;
}

/** A file in a family cloud, as mcdisk has published it. */
@Entity({ schema: 'gateway', name: 'cloud_content' })
@Index('cloud_content_family', ['familyId'])
export class CloudContentProjectionEntity {
  @PrimaryColumn({ name: 'content_id', type: 'text', primaryKeyConstraintName: 'cloud_content_pkey' })
  contentId: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;
}

/** The latest rules of a child that userctx has published. */
@Entity({ schema: 'gateway', name: 'child_rules' })
@Index('child_rules_changed', ['changedAt'])
export class ChildRulesProjectionEntity {
  @PrimaryColumn({ name: 'cid', type: 'text', primaryKeyConstraintName: 'child_rules_pkey' })
  cid: string;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'rules', type: 'json' })
  rules: ChildRules;

  /** When the rules were stored, by the clock of the database. Unix milliseconds. */
  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}
