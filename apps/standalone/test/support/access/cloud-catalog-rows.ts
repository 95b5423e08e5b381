import { randomUUID } from 'node:crypto';
import type { OperationRow } from './operation-row.js';

/** Operations on folders, files and the cloud itself. */
export const CLOUD_CATALOG_ROWS: Readonly<Record<string, OperationRow>> = {
  queryContentList: {
    access: ['user', 'watch'],
    request: ({ cloudID, catalogID }) => ({ body: { cloudID, catalogID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
  },
  createCloudDoc: {
    access: ['user', 'watch'],
    request: ({ cloudID, catalogID: parentCatalogID }) => ({
      body: { cloudID, parentCatalogID, catalogName: randomUUID() },
    }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
    destroys: true,
  },
  modifyCloudDoc: {
    access: ['user', 'watch'],
    request: ({ cloudID, catalogID }) => ({ body: { cloudID, catalogID, catalogName: 'Summer' } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
    destroys: true,
  },
  queryContentInfo: {
    access: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
  },
  modifyContentInfo: {
    access: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID, contentName: 'first day.jpg' } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    destroys: true,
  },
  queryDiskInfo: {
    access: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
  },
  queryCloudMember: {
    access: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
  },
};
