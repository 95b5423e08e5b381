import type { OperationRow } from './operation-row.js';

/** Operations on the recycle bin. Foreign and unknown files are listed in failureContIDList. */
export const CLOUD_RECYCLE_BIN_ROWS: Readonly<Record<string, OperationRow>> = {
  queryRecycleList: {
    callerKinds: ['user'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    contact: 'ok',
  },
  restoreContents: {
    callerKinds: ['user'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    needsSeparateFamily: true,
  },
  purgeContents: {
    callerKinds: ['user'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
};
