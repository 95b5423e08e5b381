import type { OperationRow } from './operation-row.js';

/** Operations on albums and their contents. Foreign and unknown files are listed in failureContIDList. */
export const CLOUD_PHOTO_ROWS: Readonly<Record<string, OperationRow>> = {
  createCloudPhoto: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID, photoName: 'Winter' } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  modifyCloudPhoto: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoID, photoName: 'Winter' } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteCloudPhoto: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoIDList: [photoID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ok' },
    needsSeparateFamily: true,
  },
  queryCloudPhoto: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    contact: 'ok',
  },
  queryPhotoContents: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND' },
  },
  addPhotoContents: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, photoID, contentID }) => ({ body: { cloudID, photoID, contentIDList: [contentID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND', contentID: 'ok' },
    needsSeparateFamily: true,
  },
  removePhotoContents: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, photoID, contentID }) => ({ body: { cloudID, photoID, contentIDList: [contentID] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND', contentID: 'ok' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
};
