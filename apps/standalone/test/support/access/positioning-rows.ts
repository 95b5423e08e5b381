import type { OperationRow } from './operation-row.js';

const NEIGHBOURS = ['00:1b:21:0a:3f:7c', '00:1b:21:0a:3f:7d'].map((macAddress) => ({ macAddress }));

/** What was agreed to, what watches hear, and where that is. */
export const POSITIONING_ROWS: Readonly<Record<string, OperationRow>> = {
  getConsents: { access: ['user'], request: () => ({}), refuses: {} },
  updateConsent: {
    access: ['user'],
    request: () => ({ body: { purpose: 'POSITIONING', granted: true } }),
    refuses: {},
    destroys: true,
  },
  reportScans: {
    access: ['watch'],
    // A watch that names another watch or child still speaks for itself alone.
    request: ({ did, cid }) => ({
      body: {
        did,
        cid,
        scans: [{ latitude: '31.2', longitude: '121.4', radius: 9, positionTime: 1, wifiAccessPoints: NEIGHBOURS }],
      },
    }),
    refuses: {},
  },
  locatePosition: {
    access: ['watch'],
    request: () => ({ body: { wifiAccessPoints: NEIGHBOURS } }),
    refuses: {},
    // Nobody has heard them.
    watch: 'POSITION_NOT_FOUND',
  },
  geolocate: {
    access: ['user', 'watch'],
    request: () => ({ body: { wifiAccessPoints: NEIGHBOURS } }),
    refuses: {},
    owner: 'POSITION_NOT_FOUND',
    guardian: 'POSITION_NOT_FOUND',
    watch: 'POSITION_NOT_FOUND',
  },
};
