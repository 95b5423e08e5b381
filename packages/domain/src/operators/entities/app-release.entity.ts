import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { AppPlatform } from '../contracts/app-release.js';

/** A release of the app for parents. Times are Unix milliseconds. */
@Entity({ schema: 'userctx', name: 'app_release' })
@Check('app_release_percentage_check', 'percentage BETWEEN 0 AND 100')
@Check('app_release_package_check', '(package_sha256 IS NULL) = (package_bytes IS NULL)')
export class AppReleaseEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'app_release_pkey' })
  platform!: AppPlatform;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'app_release_pkey' })
  channel!: string;

  /** SemVer 2.0.0. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'app_release_pkey' })
  version!: string;

  /** Older versions are not supported while this release is not withdrawn; null: all versions are supported. */
  @Column('text', { name: 'minimum_version', nullable: true })
  minimumVersion!: string | null;

  /** Percentage of the installations to which the release is offered. */
  @Column('integer')
  percentage!: number;

  /** Notes by language. */
  @Column('jsonb')
  notes!: Record<string, string>;

  /** Address of the app in its store, or of the package. */
  @Column('text')
  url!: string;

  /** SHA-256 of the package, hexadecimal; null if `url` is the address of a store. */
  @Column('text', { name: 'package_sha256', nullable: true })
  packageSha256!: string | null;

  @Column('bigint', { name: 'package_bytes', nullable: true })
  packageBytes!: number | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'changed_at' })
  changedAt!: number;

  /** When the release was withdrawn; null while it is offered. */
  @Column('bigint', { name: 'withdrawn_at', nullable: true })
  withdrawnAt!: number | null;
}
