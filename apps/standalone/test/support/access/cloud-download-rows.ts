import type { OperationRow } from './operation-row.js';

/** What GET reads, HEAD asks about; the rules are the same. */
export const CLOUD_DOWNLOAD_ROWS: Readonly<Record<string, OperationRow>> = {
  headBlob: {
    access: 'public',
    cases: [
      { about: 'a guess', request: () => ({ path: { token: 'x'.repeat(43) } }), outcome: 'LINK_NOT_FOUND' },
      {
        about: 'the address of an upload does not read',
        request: ({ uploadToken: token }) => ({ path: { token } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
};
