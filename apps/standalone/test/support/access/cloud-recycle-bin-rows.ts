import type { OperationRow } from './operation-row.js';

/** Operations on the recycle bin. Foreign and unknown files are listed in failureContIDList. */
export const CLOUD_RECYCLE_BIN_ROWS: Readonly<Record<string, OperationRow>> = {
  queryRecycleList: {
    access: ['user'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
  },
  restoreContents: {
    access: ['user'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    destroys: true,
  },
  purgeContents: {
    access: ['user'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
};
