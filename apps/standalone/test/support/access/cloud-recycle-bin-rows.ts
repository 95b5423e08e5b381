import type { OperationRow } from './operation-row.js';

/** A foreign file ends in failureContIDList exactly as one that does not exist. */
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
