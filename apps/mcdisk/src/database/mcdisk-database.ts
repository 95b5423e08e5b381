import {
  AlbumContentEntity,
  AlbumCountEntity,
  AlbumEntity,
  ContentEntity,
  FolderEntity,
  RecycleBinEmptyingEntity,
} from '@family-watch/domain/family-cloud/entities/content.entities';
import { BatchTaskEntity, BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import {
  BlobEntity,
  RenditionEntity,
  StoreIdentityEntity,
  StoredFirmwareImageEntity,
  UrlSigningKeyEntity,
} from '@family-watch/domain/family-cloud/entities/storage.entities';
import {
  CleanupTaskEntity,
  FamilyCloudEntity,
  FamilyProjectionEntity,
} from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import {
  FriendshipProjectionEntity,
  MediaGrantEntity,
  ShareContentEntity,
  ShareEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { ExportArchiveEntity } from '@family-watch/domain/family-cloud/entities/export-archive.entity';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { mcdiskAdoption } from './mcdisk-adoption.js';
import { mcdiskMigrations } from './mcdisk-migrations.js';
import { mcdiskRestoreSteps } from './mcdisk-restore.sql.js';

/** The entities of the mcdisk data source. */
const mcdiskEntities = [
  AlbumContentEntity,
  AlbumCountEntity,
  AlbumEntity,
  BatchTaskEntity,
  BatchTaskFolderEntity,
  BlobEntity,
  CleanupTaskEntity,
  ContentEntity,
  ExportArchiveEntity,
  FamilyCloudEntity,
  FamilyProjectionEntity,
  FolderEntity,
  RecycleBinEmptyingEntity,
  RenditionEntity,
  FriendshipProjectionEntity,
  MediaGrantEntity,
  ShareContentEntity,
  ShareEntity,
  StoreIdentityEntity,
  StoredFirmwareImageEntity,
  UploadEntity,
  UrlSigningKeyEntity,
  IdempotencyKeyEntity,
  AccountErasureEntity,
  ...eventBusEntities,
];

/** The database of mcdisk: its schema, migrations and entities. */
export const mcdiskDatabase: DatabaseDeclaration = {
  name: 'mcdisk',
  schema: 'mcdisk',
  migrations: mcdiskMigrations,
  adoption: mcdiskAdoption,
  entities: mcdiskEntities,
  restoreSteps: mcdiskRestoreSteps,
};
