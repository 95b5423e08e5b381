import { randomUUID } from 'node:crypto';
import type { OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import type { Outcome, RequestFields } from './operation-row.js';

/** One row of the access matrix: an operation of operators. */
export interface OperatorRow {
  roles: readonly OperatorRole[];
  /** Creates a well-formed request that changes no data of other tests. */
  request(): RequestFields;
  /** Outcome for an operator with one of the roles; success by default. */
  outcome?: Outcome;
}

const ALL_ROLES: readonly OperatorRole[] = ['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'];

export const OPERATOR_ROWS: Readonly<Record<string, OperatorRow>> = {
  replaceOperatorCredentials: {
    roles: ALL_ROLES,
    request: () => ({ body: { password: 'wrong', code: '123456', newPassword: 'seven quiet herons' } }),
    outcome: 'CREDENTIALS_INVALID',
  },
  listOperators: { roles: ['ADMIN'], request: () => ({}) },
  createOperator: {
    roles: ['ADMIN'],
    request: () => ({ body: { loginName: `o${randomUUID().slice(0, 8)}`, roles: ['SUPPORT'] } }),
  },
  suspendOperator: {
    roles: ['ADMIN'],
    request: () => ({ body: { operatorId: randomUUID() } }),
    outcome: 'OPERATOR_NOT_FOUND',
  },
  addToEnrolmentList: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { makerKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', imeis: ['no IMEI'] } }),
  },
  removeFromEnrolmentList: { roles: ['FLEET', 'ADMIN'], request: () => ({ body: { imeis: ['490154203237518'] } }) },
  listEnrolmentList: { roles: ['FLEET', 'ADMIN'], request: () => ({}) },
  getWatchStates: { roles: ['FLEET', 'SUPPORT', 'ADMIN'], request: () => ({ query: { did: 1 } }) },
  listWatchStates: { roles: ['FLEET', 'SUPPORT', 'ADMIN'], request: () => ({ query: { state: 'REVOKED' } }) },
  findAccountState: {
    roles: ['SUPPORT', 'ADMIN'],
    request: () => ({ body: { areaCode: '+86', phoneNumber: '19999999999' } }),
    outcome: 'ACCOUNT_NOT_FOUND',
  },
  listAccountStates: { roles: ['SUPPORT', 'ADMIN'], request: () => ({ query: { userId: randomUUID() } }) },
  listFamilyStates: { roles: ['SUPPORT', 'ADMIN'], request: () => ({ query: { familyId: randomUUID() } }) },
  listAllOrders: { roles: ['BILLING', 'ADMIN'], request: () => ({ query: { familyId: randomUUID() } }) },
  revokeWatchKey: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { did: 1 } }),
    outcome: 'WATCH_NOT_FOUND',
  },
  suspendAccount: {
    roles: ['SUPPORT', 'ADMIN'],
    request: () => ({ body: { userId: randomUUID() } }),
    outcome: 'ACCOUNT_NOT_FOUND',
  },
  resumeAccount: {
    roles: ['SUPPORT', 'ADMIN'],
    request: () => ({ body: { userId: randomUUID() } }),
    outcome: 'ACCOUNT_NOT_FOUND',
  },
  createFirmwareImage: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({
      body: {
        model: 'W7',
        version: '2.0.0',
        size: 1,
        digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        signature: 'A'.repeat(86),
        keyId: 'unknown',
      },
    }),
    outcome: 'FIRMWARE_SIGNATURE_INVALID',
  },
  listFirmwareImages: { roles: ['FLEET', 'ADMIN'], request: () => ({}) },
  withdrawFirmwareImage: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { imageId: randomUUID() } }),
    outcome: 'FIRMWARE_IMAGE_NOT_FOUND',
  },
  createFirmwareGroup: { roles: ['FLEET', 'ADMIN'], request: () => ({ body: { name: randomUUID() } }) },
  listFirmwareGroups: { roles: ['FLEET', 'ADMIN'], request: () => ({}) },
  deleteFirmwareGroup: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { groupId: randomUUID() } }),
    outcome: 'FIRMWARE_GROUP_NOT_FOUND',
  },
  addToFirmwareGroup: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { groupId: randomUUID(), dids: [1] } }),
    outcome: 'FIRMWARE_GROUP_NOT_FOUND',
  },
  removeFromFirmwareGroup: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { groupId: randomUUID(), dids: [1] } }),
    outcome: 'FIRMWARE_GROUP_NOT_FOUND',
  },
  listFirmwareGroupWatches: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ query: { groupId: randomUUID() } }),
    outcome: 'FIRMWARE_GROUP_NOT_FOUND',
  },
  createRollout: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { imageId: randomUUID() } }),
    outcome: 'FIRMWARE_IMAGE_NOT_FOUND',
  },
  changeRollout: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { rolloutId: randomUUID(), action: 'START' } }),
    outcome: 'ROLLOUT_NOT_FOUND',
  },
  listRollouts: { roles: ['FLEET', 'ADMIN'], request: () => ({}) },
  getRollout: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ query: { rolloutId: randomUUID() } }),
    outcome: 'ROLLOUT_NOT_FOUND',
  },
  listDeployments: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ query: { rolloutId: randomUUID() } }),
    outcome: 'ROLLOUT_NOT_FOUND',
  },
  getDeliveries: {
    roles: ['SUPPORT', 'ADMIN'],
    request: () => ({ query: { familyId: randomUUID() } }),
    outcome: 'FAMILY_NOT_FOUND',
  },
  getEventBusStatus: { roles: ['ADMIN'], request: () => ({}) },
  listDeadLetters: { roles: ['ADMIN'], request: () => ({ query: { app: 'gateway' } }) },
  replayDeadLetters: {
    roles: ['ADMIN'],
    request: () => ({ body: { app: 'gateway', deadLetterIds: ['999999999999'] } }),
  },
  dropDeadLetters: {
    roles: ['ADMIN'],
    request: () => ({ body: { app: 'gateway', deadLetterIds: ['999999999999'] } }),
  },
  listAllProducts: { roles: ['BILLING', 'ADMIN'], request: () => ({}) },
  setProduct: {
    roles: ['BILLING', 'ADMIN'],
    request: () => ({ body: { productId: 'access-matrix', title: 'x', amount: 1, currency: 'EUR', periodDays: 1 } }),
  },
  retireProduct: {
    roles: ['BILLING', 'ADMIN'],
    request: () => ({ body: { productId: randomUUID() } }),
    outcome: 'PRODUCT_NOT_FOUND',
  },
  listAppReleases: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ query: { platform: 'ANDROID', channel: 'access-matrix' } }),
  },
  setAppRelease: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({
      body: {
        platform: 'ANDROID',
        channel: 'access-matrix',
        version: '1.0.0',
        percentage: 0,
        notes: { en: 'x' },
        url: 'https://apps.example.com/family-watch',
      },
    }),
  },
  withdrawAppRelease: {
    roles: ['FLEET', 'ADMIN'],
    request: () => ({ body: { platform: 'ANDROID', channel: 'access-matrix', version: '9.9.9' } }),
    outcome: 'RELEASE_NOT_FOUND',
  },
  listAuditEntries: { roles: ['ADMIN'], request: () => ({}) },
  // The last row, because it ends the session.
  signOutOperator: { roles: ALL_ROLES, request: () => ({ body: {} }) },
};
