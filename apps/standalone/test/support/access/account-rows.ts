import { CHILD } from '../parent.js';
import type { OperationRow } from './operation-row.js';

/** The password that owners of the matrix sign up with. */
export const PASSWORD = 'seven quiet herons';
const NEW_PASSWORD = 'eleven loud sparrows';
const PHONE = { areaCode: '+86', phoneNumber: '13999999999' };
const WRONG_CODE = '000000x';
const stepUp = { password: PASSWORD };

/** A well-formed key that no watch has. */
const SOME_KEY = 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik';
const SOME_CHALLENGE = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';
const SOME_SIGNATURE = `${'A'.repeat(85)}A`;

export const ACCOUNT_ROWS: Readonly<Record<string, OperationRow>> = {
  sendSmsCode: {
    access: 'public',
    cases: [
      {
        about: 'an unknown phone is answered like a known one',
        request: () => ({ body: { ...PHONE, scene: 'SIGN_IN' } }),
        outcome: 'ok',
      },
    ],
  },
  signUp: {
    access: 'public',
    cases: [
      {
        about: 'a challenge that nobody has',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        about: 'a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456' } }),
        outcome: 'CODE_INVALID',
      },
      {
        about: 'a code of a wrong form',
        request: () => ({ body: { code: WRONG_CODE } }),
        outcome: 'VALIDATION_FAILED',
      },
    ],
  },
  signIn: {
    access: 'public',
    cases: [
      {
        about: 'a phone without an account',
        request: () => ({ body: { ...PHONE, password: PASSWORD } }),
        outcome: 'CREDENTIALS_INVALID',
      },
      {
        about: 'an id that is no challenge',
        request: ({ cid }) => ({ body: { challengeId: cid, code: '123456' } }),
        outcome: 'CREDENTIALS_INVALID',
      },
    ],
  },
  refreshToken: {
    access: 'public',
    cases: [
      {
        about: 'a refresh token that nobody has',
        request: () => ({ body: { refreshToken: 'x'.repeat(43) } }),
        outcome: 'REFRESH_TOKEN_INVALID',
      },
    ],
  },
  resetPassword: {
    access: 'public',
    cases: [
      {
        about: 'a challenge of another scene',
        request: ({ challengeId }) => ({ body: { challengeId, code: '123456', password: NEW_PASSWORD } }),
        outcome: 'CODE_INVALID',
      },
    ],
  },
  getJwks: { access: 'public', cases: [{ about: 'the public keys', request: () => ({}), outcome: 'ok' }] },
  getLiveness: { access: 'public', cases: [{ about: 'it lives', request: () => ({}), outcome: 'ok' }] },
  getReadiness: { access: 'public', cases: [{ about: 'it is ready', request: () => ({}), outcome: 'ok' }] },

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
    request: () => ({ body: { challengeId: SOME_CHALLENGE, code: '123456', stepUp } }),
    refuses: {},
    owner: 'CODE_INVALID',
    // The guardian, whose sign-in is fresh, has no password to confirm with.
    guardian: 'STEP_UP_REQUIRED',
  },
  signOut: { access: ['user'], request: () => ({ body: {} }), refuses: {}, destroys: true },
  listSessions: { access: ['user'], request: () => ({}), refuses: {} },
  deleteSession: {
    access: ['user'],
    request: ({ sessionId }) => ({ body: { sessionId } }),
    refuses: { sessionId: 'SESSION_NOT_FOUND' },
    // It is a session of the owner: for the guardian it is as foreign as any.
    guardian: 'SESSION_NOT_FOUND',
    destroys: true,
  },

  challengeEnrolment: {
    access: 'public',
    cases: [{ about: 'any key', request: () => ({ body: { publicKey: SOME_KEY } }), outcome: 'ok' }],
  },
  enrolWatch: {
    access: 'public',
    cases: [
      {
        about: 'an IMEI and a key without proof',
        request: () => ({
          body: {
            imei: '490154203237518',
            model: 'W7',
            firmwareVersion: '1',
            publicKey: SOME_KEY,
            nonce: 'x'.repeat(43),
            proof: SOME_SIGNATURE,
          },
        }),
        outcome: 'PROOF_INVALID',
      },
    ],
  },
  challengeWatchToken: {
    access: 'public',
    cases: [{ about: 'a did that may or may not exist', request: ({ did }) => ({ body: { did } }), outcome: 'ok' }],
  },
  createWatchToken: {
    access: 'public',
    cases: [
      {
        about: 'a did alone opens nothing',
        request: ({ did }) => ({ body: { did, nonce: 'x'.repeat(43), signature: SOME_SIGNATURE } }),
        outcome: 'SIGNATURE_INVALID',
      },
    ],
  },
};

/** Children and their watches. */
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
      // A watch that names another watch or child still speaks for itself alone.
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
