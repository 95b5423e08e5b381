import type { OperationRow } from './operation-row.js';

/** Operations on families, members, invitations and contacts. */
export const FAMILY_ROWS: Readonly<Record<string, OperationRow>> = {
  listFamilies: { access: ['user'], request: () => ({}), refuses: {} },
  updateFamily: {
    access: ['user'],
    request: ({ familyId }) => ({ body: { familyId, name: 'The Millers' } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  listMembers: {
    access: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
  },
  updateMember: {
    access: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId, role: 3 } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  removeMember: {
    access: ['user'],
    request: ({ familyId, userId }) => ({ body: { familyId, userId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', userId: 'MEMBER_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  leaveFamily: {
    access: ['user'],
    request: ({ familyId }) => ({ body: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    owner: 'PERMISSION_MISSING',
    destroys: true,
  },
  createInvitation: {
    access: ['user'],
    request: ({ familyId }) => ({ body: { familyId, role: 3 } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  acceptInvitation: {
    access: ['user'],
    request: ({ invitationCode: code }) => ({ body: { code } }),
    // Any caller who has the invitation code may join, so there is no id of another family to reject.
    refuses: {},
    owner: 'ALREADY_MEMBER',
    guardian: 'ALREADY_MEMBER',
  },
  listInvitations: {
    access: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
  },
  cancelInvitation: {
    access: ['user'],
    request: ({ familyId, invitationId }) => ({ body: { familyId, invitationId } }),
    refuses: { familyId: 'FAMILY_NOT_FOUND', invitationId: 'INVITATION_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  listContacts: {
    access: ['user', 'watch'],
    request: ({ did }) => ({ query: { deviceId: did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  createContact: {
    access: ['user'],
    request: ({ did }) => ({ body: { deviceId: did, name: 'Li', phoneNumber: '13900002222', areaCode: '86' } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
    destroys: true,
  },
  updateContact: {
    access: ['user'],
    request: ({ did, refId }) => ({ body: { deviceId: did, refId, appellation: 'Nana' } }),
    refuses: { did: 'WATCH_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    destroys: true,
  },
  deleteContact: {
    access: ['user'],
    request: ({ did, refId }) => ({ body: { deviceId: did, refId } }),
    refuses: { did: 'WATCH_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    // The guardian's request runs first and has deleted the contact.
    owner: 'CONTACT_NOT_FOUND',
    destroys: true,
  },
};

/** Operations on the family cloud: uploads, downloads and deletion. */
export const CLOUD_ROWS: Readonly<Record<string, OperationRow>> = {
  queryFamilyCloud: { access: ['user', 'watch'], request: () => ({ body: {} }), refuses: {} },
  deleteContents: {
    access: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentIDList: [contentID] } }),
    // Foreign and unknown files are listed in failureContIDList.
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'ok' },
    destroys: true,
  },
  getFileUploadURL: {
    access: ['user', 'watch'],
    request: ({ cloudID }) => ({ body: { cloudID, uploadContentList: [{ contentName: 'a', contentSize: 1 }] } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND' },
    destroys: true,
  },
  completeUpload: {
    access: ['user', 'watch'],
    request: ({ cloudID, uploadTaskID }) => ({ body: { cloudID, uploadTaskID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', uploadTaskID: 'UPLOAD_NOT_FOUND' },
    owner: 'UPLOAD_STATE',
    guardian: 'UPLOAD_NOT_FOUND',
    watch: 'UPLOAD_NOT_FOUND',
  },
  abortUpload: {
    access: ['user', 'watch'],
    request: ({ cloudID, uploadTaskID }) => ({ body: { cloudID, uploadTaskID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', uploadTaskID: 'UPLOAD_NOT_FOUND' },
    guardian: 'UPLOAD_NOT_FOUND',
    watch: 'UPLOAD_NOT_FOUND',
    destroys: true,
  },
  getFileDownLoadURL: {
    access: ['user', 'watch'],
    request: ({ cloudID, contentID }) => ({ body: { cloudID, contentID } }),
    refuses: { cloudID: 'CLOUD_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    destroys: true,
  },
  getBlob: {
    access: 'public',
    cases: [
      {
        about: 'rejects a guessed token',
        request: () => ({ path: { token: 'x'.repeat(43) } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        about: 'rejects the token of an upload',
        request: ({ uploadToken: token }) => ({ path: { token } }),
        outcome: 'LINK_NOT_FOUND',
      },
      {
        about: 'rejects a path traversal',
        request: () => ({ path: { token: '..%2f..%2fsecret.key' } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
  putBlob: {
    access: 'public',
    cases: [
      {
        about: 'rejects a guessed token',
        request: () => ({ path: { token: 'x'.repeat(43) } }),
        outcome: 'UPLOAD_NOT_FOUND',
      },
      {
        about: 'rejects a content id as token',
        request: ({ contentID: token }) => ({ path: { token } }),
        outcome: 'UPLOAD_NOT_FOUND',
      },
    ],
  },
};
