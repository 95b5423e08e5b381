import type { OperationRow } from './operation-row.js';

/** The HEAD operation of downloads, which has the same access rules as the GET operation (`getBlob`). */
export const CLOUD_DOWNLOAD_ROWS: Readonly<Record<string, OperationRow>> = {
  headBlob: {
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
    ],
  },
};
