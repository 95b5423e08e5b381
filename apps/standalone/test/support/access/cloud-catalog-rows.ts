import { randomUUID } from 'node:crypto';
import type { OperationRow } from './operation-row.js';

/** Operations on folders, files and the cloud itself. */
export const CLOUD_CATALOG_ROWS: Readonly<Record<string, OperationRow>> = {
  queryContentList: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, catalogID }) => ({ body: { cloudID, catalogID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
  },
  createCloudDoc: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, catalogID: parentCatalogID }) => ({
      body: { cloudID, parentCatalogID, catalogName: randomUUID() },
    }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  modifyCloudDoc: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, catalogID }) => ({ body: { cloudID, catalogID, catalogName: 'Summer' } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  queryContentInfo: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
  },
  modifyContentInfo: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID, contentName: 'first day.jpg' } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  queryDiskInfo: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
  },
  queryCloudMember: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    contact: 'ok',
  },
};
