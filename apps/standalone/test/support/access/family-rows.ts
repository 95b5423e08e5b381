import type { OperationRow } from './operation-row.js';

/** Operations on families, members, invitations and contacts. */
export const FAMILY_ROWS: Readonly<Record<string, OperationRow>> = {
  listFamilies: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  updateFamily: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ body: { familyId, name: 'The Millers' } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  listMembers: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
  },
  updateMember: {
    callerKinds: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId, role: 3 } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  removeMember: {
    callerKinds: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  leaveFamily: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ body: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
    contact: 'ok',
  },
  createInvitation: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ body: { familyId, role: 3 } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  findInvitation: {
    callerKinds: ['user'],
    request: ({ invitationCode: code }) => ({ body: { code } }),
    // Any caller who has the invitation code may see it, so there is no id of another family to reject.
    rejections: {},
    contact: 'ok',
  },
  acceptInvitation: {
    callerKinds: ['user'],
    request: ({ invitationCode: code }) => ({ body: { code } }),
    // Any caller who has the invitation code may join, so there is no id of another family to reject.
    rejections: {},
    owner: 'ALREADY_MEMBER',
    guardian: 'ALREADY_MEMBER',
    contact: 'ALREADY_MEMBER',
  },
  listInvitations: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
  },
  cancelInvitation: {
    callerKinds: ['user'],
    request: ({ familyId, invitationId }) => ({ body: { familyId, invitationId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND', invitationId: 'INVITATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  listContacts: {
    callerKinds: ['user', 'watch'],
    request: ({ did }) => ({ query: { deviceId: did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
  },
  createContact: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { deviceId: did, name: 'Li', phoneNumber: '13900002222', areaCode: '86' } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateContact: {
    callerKinds: ['user'],
    request: ({ did, refId }) => ({ body: { deviceId: did, refId, appellation: 'Nana' } }),
    rejections: { did: 'WATCH_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteContact: {
    callerKinds: ['user'],
    request: ({ did, refId }) => ({ body: { deviceId: did, refId } }),
    rejections: { did: 'WATCH_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    // The guardian's request runs first and has deleted the contact.
    owner: 'CONTACT_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
};

/** Operations on the family cloud: uploads, downloads and deletion. */
export const CLOUD_ROWS: Readonly<Record<string, OperationRow>> = {
  queryFamilyCloud: { callerKinds: ['user', 'watch'], request: () => ({ body: {} }), rejections: {}, contact: 'ok' },
  deleteContents: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    // Foreign and unknown files are listed in failureContIDList.
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    needsSeparateFamily: true,
  },
  getFileUploadURL: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID, uploadContentList: [{ contentName: 'a', contentSize: 1 }] } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  completeUpload: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, uploadTaskID }) => ({ body: { cloudID, uploadTaskID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', uploadTaskID: 'UPLOAD_NOT_FOUND' },
    owner: 'UPLOAD_STATE',
    guardian: 'UPLOAD_NOT_FOUND',
    watch: 'UPLOAD_NOT_FOUND',
  },
  abortUpload: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, uploadTaskID }) => ({ body: { cloudID, uploadTaskID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', uploadTaskID: 'UPLOAD_NOT_FOUND' },
    guardian: 'UPLOAD_NOT_FOUND',
    watch: 'UPLOAD_NOT_FOUND',
    needsSeparateFamily: true,
  },
  getFileDownLoadURL: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  getBlob: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects a guessed token',
        request: () => ({ path: { token: 'x'.repeat(43) } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        title: 'rejects the token of an upload',
        request: ({ uploadToken: token }) => ({ path: { token } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        title: 'rejects a path traversal',
        request: () => ({ path: { token: '..%2f..%2fsecret.key' } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
  putBlob: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects a guessed token',
        request: () => ({ path: { token: 'x'.repeat(43) } }),
        outcome: 'UPLOAD_NOT_FOUND',
      },
      {
        title: 'rejects a content id as token',
        request: ({ contentID: token }) => ({ path: { token } }),
        outcome: 'UPLOAD_NOT_FOUND',
      },
    ],
  },
};
