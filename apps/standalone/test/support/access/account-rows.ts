import { randomInt } from 'node:crypto';
import { VALID_CHILD } from '../parent.js';
import { UNKNOWN_TICKETS } from './firmware-rows.js';
import type { OperationRow } from './operation-row.js';

/** Sign-up password of the owners in the matrix. */
export const PASSWORD = 'seven quiet herons';
const NEW_PASSWORD = 'eleven loud sparrows';
const PHONE = { areaCode: '+86', phoneNumber: '13999999999' };
const MALFORMED_CODE = '000000x';
const stepUp = { password: PASSWORD };

/** A well-formed public key that is not enrolled. */
const UNKNOWN_KEY = 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik';
const UNKNOWN_CHALLENGE = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';
const INVALID_SIGNATURE = `${'A'.repeat(85)}A`;

const smsReceiptRow = (path?: Record<string, string>): OperationRow => ({
  callerKinds: 'public',
  cases: [
    {
      title: 'rejects a receipt of a sender that is no SMS provider of this deployment',
      request: ({ cid }) => ({ ...(path ? { path } : {}), body: [{ out_id: cid, sid: cid, success: true }] }),
      outcome: 'FORBIDDEN',
    },
  ],
});

export const ACCOUNT_ROWS: Readonly<Record<string, OperationRow>> = {
  receiveTwilioReceipt: smsReceiptRow(),
  receiveWebhookReceipt: smsReceiptRow(),
  receiveAliyunReceipts: smsReceiptRow({ token: 'receipt-token-of-nobody-0123456789abc' }),
  receiveTencentcloudReceipts: smsReceiptRow({ token: 'receipt-token-of-nobody-0123456789abc' }),
  checkAppUpgrade: {
    callerKinds: 'public',
    cases: [
      {
        title: 'answers every app',
        request: () => ({
          query: { platform: 'ANDROID', channel: 'access-matrix', version: '1.0.0', installationId: 'installation' },
        }),
        outcome: 'ok',
      },
    ],
  },
  signInOperator: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an unknown operator',
        request: () => ({ body: { loginName: 'nobody', password: PASSWORD, code: '123456' } }),
        outcome: 'CREDENTIALS_INVALID',
      },
    ],
  },
  sendSmsCode: {
    callerKinds: 'public',
    cases: [
      {
        title: 'responds to an unknown phone number as to a registered one',
        // Each request needs its own phone number: a number gets a second code for the same scene only after a minute.
        request: () => ({
          body: { areaCode: '+86', phoneNumber: `139${randomInt(10 ** 7, 10 ** 8)}`, scene: 'SIGN_IN' },
        }),
        outcome: 'ok',
      },
    ],
  },
  signUp: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an unknown challenge',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        title: 'rejects a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        title: 'rejects a malformed code',
        request: () => ({ body: { code: MALFORMED_CODE } }),
        outcome: 'VALIDATION_FAILED',
      },
    ],
  },
  signIn: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects a phone number without an account',
        request: () => ({ body: { ...PHONE, password: PASSWORD } }),
        outcome: 'CREDENTIALS_INVALID',
      },
      {
        title: 'rejects an id that is not a challenge',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CREDENTIALS_INVALID',
      },
      {
        title: 'rejects an unknown sign-in link',
        request: ({ cid }) => ({ body: { linkToken: cid } }),
        outcome: 'CREDENTIALS_INVALID',
      },
    ],
  },
  refreshToken: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an unknown refresh token',
        request: () => ({ body: { refreshToken: 'x'.repeat(43) } }),
        outcome: 'REFRESH_TOKEN_INVALID',
      },
    ],
  },
  resetPassword: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456', password: NEW_PASSWORD } }),
        outcome: 'CODE_INVALID',
      },
    ],
  },
  getJwks: { callerKinds: 'public', cases: [{ title: 'returns the public keys', request: () => ({}), outcome: 'ok' }] },
  getLiveness: {
    callerKinds: 'public',
    cases: [{ title: 'responds when the service is live', request: () => ({}), outcome: 'ok' }],
  },
  getReadiness: {
    callerKinds: 'public',
    cases: [{ title: 'responds when the service is ready', request: () => ({}), outcome: 'ok' }],
  },

  getProfile: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  updateProfile: {
    callerKinds: ['user'],
    request: () => ({ body: { nickname: 'Anne' } }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  setPassword: {
    callerKinds: ['user'],
    request: () => ({ body: { password: NEW_PASSWORD, stepUp } }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  changePhone: {
    callerKinds: ['user'],
    request: () => ({ body: { challengeId: UNKNOWN_CHALLENGE, code: '123456', stepUp } }),
    rejections: {},
    owner: 'CODE_INVALID',
    // The guardian has signed in recently but has no password to confirm with.
    guardian: 'STEP_UP_REQUIRED',
  },
  signOut: {
    callerKinds: ['user'],
    request: () => ({ body: {} }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  deleteAccount: {
    callerKinds: ['user'],
    request: () => ({ body: { stepUp } }),
    rejections: {},
    // The guardian has no password to confirm with.
    guardian: 'STEP_UP_REQUIRED',
    needsSeparateFamily: true,
  },
  createDataExport: {
    callerKinds: ['user'],
    request: () => ({ body: { stepUp } }),
    rejections: {},
    // The guardian has no password to confirm with.
    guardian: 'STEP_UP_REQUIRED',
    needsSeparateFamily: true,
  },
  cancelAccountDeletion: { callerKinds: ['user'], request: () => ({ body: {} }), rejections: {}, contact: 'ok' },
  getAccountDeletion: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  getErasureReceipt: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an id that is not a receipt',
        request: ({ cid }) => ({ query: { receiptId: cid } }),
        outcome: 'RECEIPT_NOT_FOUND',
      },
    ],
  },
  downloadDataExport: { callerKinds: 'public', cases: UNKNOWN_TICKETS },
  headDataExport: { callerKinds: 'public', cases: UNKNOWN_TICKETS },
  getDataExport: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  getAccessLog: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  deleteOtherSessions: {
    callerKinds: ['user'],
    request: () => ({ body: {} }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  listSessions: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  deleteSession: {
    callerKinds: ['user'],
    request: ({ sessionId }) => ({ body: { sessionId } }),
    rejections: { sessionId: 'SESSION_NOT_FOUND' },
    // The session belongs to the owner, so it is unknown to the guardian.
    guardian: 'SESSION_NOT_FOUND',
    needsSeparateFamily: true,
  },

  challengeEnrolment: {
    callerKinds: 'public',
    cases: [
      { title: 'issues a nonce for any key', request: () => ({ body: { publicKey: UNKNOWN_KEY } }), outcome: 'ok' },
    ],
  },
  enrolWatch: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects an IMEI and a key without a valid proof',
        request: () => ({
          body: {
            imei: '490154203237518',
            model: 'W7',
            firmwareVersion: '1',
            publicKey: UNKNOWN_KEY,
            nonce: 'x'.repeat(43),
            proof: INVALID_SIGNATURE,
          },
        }),
        outcome: 'PROOF_INVALID',
      },
    ],
  },
  challengeWatchToken: {
    callerKinds: 'public',
    cases: [{ title: 'issues a nonce for any did', request: ({ did }) => ({ body: { did } }), outcome: 'ok' }],
  },
  createWatchToken: {
    callerKinds: 'public',
    cases: [
      {
        title: 'rejects a did without a valid signature',
        request: ({ did }) => ({ body: { did, nonce: 'x'.repeat(43), signature: INVALID_SIGNATURE } }),
        outcome: 'SIGNATURE_INVALID',
      },
    ],
  },
};

/** Operations on children and their watches. */
export const CHILD_ROWS: Readonly<Record<string, OperationRow>> = {
  getChild: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  createChild: {
    callerKinds: ['user'],
    request: () => ({ body: VALID_CHILD }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  updateChild: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ body: { ...VALID_CHILD, cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  deleteChild: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  deleteChildByPath: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ path: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  getChildDetail: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
  },
  updateStepGoal: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ body: { cid, stepGoal: 8_000 } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  getOwnChild: { callerKinds: ['watch'], request: () => ({}), rejections: {} },
  listSteps: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
  },
  listDeletedChildren: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  restoreChild: {
    callerKinds: ['user'],
    request: ({ deletedCid: cid }) => ({ body: { cid } }),
    rejections: { deletedCid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  listWatches: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  getWatch: {
    callerKinds: ['user'],
    request: ({ did }) => ({ query: { did } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
  },
  bindWatch: {
    callerKinds: ['user'],
    request: ({ bindCode, confirmCode, cid }) => ({ body: { bindCode, confirmCode, cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
    owner: 'CHILD_HAS_WATCH',
    guardian: 'PERMISSION_MISSING',
  },
  unbindWatch: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, stepUp } }),
    rejections: { did: 'WATCH_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    needsSeparateFamily: true,
  },
  createBindCode: {
    callerKinds: ['watch'],
    request: () => ({ body: {} }),
    rejections: {},
    watch: 'WATCH_ALREADY_BOUND',
  },
  reportSteps: { callerKinds: ['watch'], request: () => ({ body: { stepTotal: 7 } }), rejections: {} },
  reportLocation: {
    callerKinds: ['watch'],
    request: ({ did, cid }) => ({
      // The server ignores the ids in the body: a watch reports only for itself.
      body: {
        did,
        cid,
        points: [{ latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1, positionTime: 1_790_000_000_000 }],
      },
    }),
    rejections: {},
  },
  getLocation: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
  },
  getTrack: {
    callerKinds: ['user'],
    request: ({ cid }) => ({ query: { cid, from: 0, to: 1 } }),
    rejections: { cid: 'CHILD_NOT_FOUND' },
  },
};
