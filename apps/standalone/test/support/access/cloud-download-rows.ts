import type { OperationRow } from './operation-row.js';

/** The HEAD operation of downloads. The rules are the same as for GET (`getBlob`). */
export const CLOUD_DOWNLOAD_ROWS: Readonly<Record<string, OperationRow>> = {
  headBlob: {
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
    ],
  },
};
