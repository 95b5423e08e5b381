import type { OperationRow } from './operation-row.js';

const ACCESS_POINTS = ['00:1b:21:0a:3f:7c', '00:1b:21:0a:3f:7d'].map((macAddress) => ({ macAddress }));

/** Operations on consents, radio scans and positioning. */
export const POSITIONING_ROWS: Readonly<Record<string, OperationRow>> = {
  getConsents: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  updateConsent: {
    callerKinds: ['user'],
    request: () => ({ body: { purpose: 'POSITIONING', granted: true } }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  reportScans: {
    callerKinds: ['watch'],
    // The server ignores the ids in the body: a watch reports only for itself.
    request: ({ did, cid }) => ({
      body: {
        did,
        cid,
        scans: [
          {
            latitude: '31.2',
            longitude: '121.4',
            radius: 9,
            positionTime: 1_790_000_000_000,
            wifiAccessPoints: ACCESS_POINTS,
          },
        ],
      },
    }),
    rejections: {},
  },
  locatePosition: {
    callerKinds: ['watch'],
    request: () => ({ body: { wifiAccessPoints: ACCESS_POINTS } }),
    rejections: {},
    // No watch has observed these access points before.
    watch: 'POSITION_NOT_FOUND',
  },
  geolocate: {
    callerKinds: ['user', 'watch'],
    request: () => ({ body: { wifiAccessPoints: ACCESS_POINTS } }),
    rejections: {},
    owner: 'POSITION_NOT_FOUND',
    guardian: 'POSITION_NOT_FOUND',
    watch: 'POSITION_NOT_FOUND',
  },
};
