import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

const COLUMN_BY_PROPERTY: Readonly<Record<keyof UploadEntity, string>> = {
  contentId: 'content_id',
  taskId: 'task_id',
  cloudId: 'cloud_id',
  principal: 'principal',
  sessionId: 'session_id',
  parentFolderId: 'parent_catalog_id',
  tokenHash: 'token_hash',
  name: 'name',
  size: 'size',
  digest: 'digest',
  state: 'state',
  blobKey: 'blob_key',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  completedAt: 'completed_at',
  receivedSize: 'received_size',
  leaseHolder: 'lock_holder',
  leaseExpiresAt: 'lock_until',
  leaseRequested: 'lock_wanted',
};

/**
 * SQL list of all columns of `mcdisk.upload u`, with the property names of the entity as aliases.
 */
export const UPLOAD_COLUMNS = Object.entries(COLUMN_BY_PROPERTY)
  .map(([property, column]) => `u.${column} AS "${property}"`)
  .join(', ');
