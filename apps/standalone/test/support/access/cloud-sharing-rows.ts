import type { OperationRow } from './operation-row.js';

/** Operations on shares with members of the own family. Foreign files and users have the outcome of unknown ids. */
export const CLOUD_SHARING_ROWS: Readonly<Record<string, OperationRow>> = {
  authorize: {
    callerKinds: ['user'],
    request: ({ cloudID, userId, contentID }) => ({ body: { cloudID, userId, contentIDList: [contentID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', userId: 'MEMBER_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  queryAuthorization: {
    callerKinds: ['user'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    contact: 'ok',
  },
  revokeAuthorization: {
    callerKinds: ['user'],
    request: ({ cloudID, authorizationID }) => ({ body: { cloudID, authorizationID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', authorizationID: 'AUTHORIZATION_NOT_FOUND' },
    // The guardian's request runs first and has revoked the share.
    owner: 'AUTHORIZATION_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
};
