import type { OperationRow } from './operation-row.js';

/** Operations on albums and their contents. Foreign and unknown files are listed in failureContIDList. */
export const CLOUD_PHOTO_ROWS: Readonly<Record<string, OperationRow>> = {
  createCloudPhoto: {
    access: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID, photoName: 'Winter' } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
    destroys: true,
  },
  modifyCloudPhoto: {
    access: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoID, photoName: 'Winter' } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND' },
    destroys: true,
  },
  deleteCloudPhoto: {
    access: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoIDList: [photoID] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ok' },
    destroys: true,
  },
  queryCloudPhoto: {
    access: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
  },
  queryPhotoContents: {
    access: ['user', 'watch'],
    request: ({ cloudID, photoID }) => ({ body: { cloudID, photoID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND' },
  },
  addPhotoContents: {
    access: ['user', 'watch'],
    request: ({ cloudID, photoID, contentID }) => ({ body: { cloudID, photoID, contentIDList: [contentID] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND', contentID: 'ok' },
    destroys: true,
  },
  removePhotoContents: {
    access: ['user', 'watch'],
    request: ({ cloudID, photoID, contentID }) => ({ body: { cloudID, photoID, contentIDList: [contentID] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', photoID: 'ALBUM_NOT_FOUND', contentID: 'ok' },
    destroys: true,
  },
};
