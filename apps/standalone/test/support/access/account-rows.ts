import { CHILD } from '../parent.js';
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

export const ACCOUNT_ROWS: Readonly<Record<string, OperationRow>> = {
  sendSmsCode: {
    access: 'public',
    cases: [
      {
        about: 'responds to an unknown phone number as to a registered one',
        request: () => ({ body: { ...PHONE, scene: 'SIGN_IN' } }),
        outcome: 'ok',
      },
    ],
  },
  signUp: {
    access: 'public',
    cases: [
      {
        about: 'rejects an unknown challenge',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        about: 'rejects a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        about: 'rejects a malformed code',
        request: () => ({ body: { code: MALFORMED_CODE } }),
        outcome: 'VALIDATION_FAILED',
      },
    ],
  },
  signIn: {
    access: 'public',
    cases: [
      {
        about: 'rejects a phone number without an account',
        request: () => ({ body: { ...PHONE, password: PASSWORD } }),
        outcome: 'CREDENTIALS_INVALID',
      },
      {
        about: 'rejects an id that is not a challenge',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CREDENTIALS_INVALID',
      },
    ],
  },
  refreshToken: {
    access: 'public',
    cases: [
      {
        about: 'rejects an unknown refresh token',
        request: () => ({ body: { refreshToken: 'x'.repeat(43) } }),
        outcome: 'REFRESH_TOKEN_INVALID',
      },
    ],
  },
  resetPassword: {
    access: 'public',
    cases: [
      {
        about: 'rejects a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456', password: NEW_PASSWORD } }),
        outcome: 'CODE_INVALID',
      },
    ],
  },
  getJwks: { access: 'public', cases: [{ about: 'returns the public keys', request: () => ({}), outcome: 'ok' }] },
  getLiveness: {
    access: 'public',
    cases: [{ about: 'responds when the service is live', request: () => ({}), outcome: 'ok' }],
  },
  getReadiness: {
    access: 'public',
    cases: [{ about: 'responds when the service is ready', request: () => ({}), outcome: 'ok' }],
  },

  getProfile: { access: ['user'], request: () => ({}), refuses: {} },
  updateProfile: { access: ['user'], request: () => ({ body: { nickname: 'Anne' } }), refuses: {}, destroys: true },
  setPassword: {
    access: ['user'],
    request: () => ({ body: { password: NEW_PASSWORD, stepUp } }),
    refuses: {},
    destroys: true,
  },
  changePhone: {
    access: ['user'],
    request: () => ({ body: { challengeId: UNKNOWN_CHALLENGE, code: '123456', stepUp } }),
    refuses: {},
    owner: 'CODE_INVALID',
    // The guardian has signed in recently but has no password to confirm with.
    guardian: 'STEP_UP_REQUIRED',
  },
  signOut: { access: ['user'], request: () => ({ body: {} }), refuses: {}, destroys: true },
  listSessions: { access: ['user'], request: () => ({}), refuses: {} },
  deleteSession: {
    access: ['user'],
    request: ({ sessionId }) => ({ body: { sessionId } }),
    refuses: { sessionId: 'SESSION_NOT_FOUND' },
    // The session belongs to the owner, so it is unknown to the guardian.
    guardian: 'SESSION_NOT_FOUND',
    destroys: true,
  },

  challengeEnrolment: {
    access: 'public',
    cases: [
      { about: 'issues a nonce for any key', request: () => ({ body: { publicKey: UNKNOWN_KEY } }), outcome: 'ok' },
    ],
  },
  enrolWatch: {
    access: 'public',
    cases: [
      {
        about: 'rejects an IMEI and a key without a valid proof',
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
    access: 'public',
    cases: [{ about: 'issues a nonce for any did', request: ({ did }) => ({ body: { did } }), outcome: 'ok' }],
  },
  createWatchToken: {
    access: 'public',
    cases: [
      {
        about: 'rejects a did without a valid signature',
        request: ({ did }) => ({ body: { did, nonce: 'x'.repeat(43), signature: INVALID_SIGNATURE } }),
        outcome: 'SIGNATURE_INVALID',
      },
    ],
  },
};

/** Operations on children and their watches. */
export const CHILD_ROWS: Readonly<Record<string, OperationRow>> = {
  getChild: { access: ['user'], request: () => ({}), refuses: {} },
  createChild: { access: ['user'], request: () => ({ body: CHILD }), refuses: {}, destroys: true },
  updateChild: {
    access: ['user'],
    request: ({ cid }) => ({ body: { ...CHILD, cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
  deleteChild: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  deleteChildByPath: {
    access: ['user'],
    request: ({ cid }) => ({ path: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  getChildDetail: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
  restoreChild: {
    access: ['user'],
    request: ({ deletedCid: cid }) => ({ body: { cid } }),
    refuses: { deletedCid: 'CHILD_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  listWatches: { access: ['user'], request: () => ({}), refuses: {} },
  getWatch: {
    access: ['user'],
    request: ({ did }) => ({ query: { did } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
  },
  bindWatch: {
    access: ['user'],
    request: ({ bindCode, confirmCode, cid }) => ({ body: { bindCode, confirmCode, cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
    owner: 'CHILD_HAS_WATCH',
    guardian: 'PERMISSION_MISSING',
  },
  unbindWatch: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, stepUp } }),
    refuses: { did: 'WATCH_NOT_FOUND' },
    guardian: 'PERMISSION_MISSING',
    destroys: true,
  },
  createBindCode: {
    access: ['watch'],
    request: () => ({ body: {} }),
    refuses: {},
    watch: 'WATCH_ALREADY_BOUND',
  },
  reportSteps: { access: ['watch'], request: () => ({ body: { stepTotal: 7 } }), refuses: {} },
  reportLocation: {
    access: ['watch'],
    request: ({ did, cid }) => ({
      // The server ignores the ids in the body: a watch reports only for itself.
      body: { did, cid, points: [{ latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1, positionTime: 1 }] },
    }),
    refuses: {},
  },
  getLocation: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
  getTrack: {
    access: ['user'],
    request: ({ cid }) => ({ query: { cid, from: 0, to: 1 } }),
    refuses: { cid: 'CHILD_NOT_FOUND' },
  },
};
