import type { OperationRow, PublicRow } from './operation-row.js';

/** The address is the permission, so what is no address opens nothing. */
const UNKNOWN: PublicRow['cases'] = [
  { about: 'a guess', request: () => ({ path: { token: 'x'.repeat(43) } }), outcome: 'UPLOAD_NOT_FOUND' },
  {
    about: 'a content id is no address',
    request: ({ contentID: token }) => ({ path: { token } }),
    outcome: 'UPLOAD_NOT_FOUND',
  },
  { about: 'a way out', request: () => ({ path: { token: '..%2f..%2fsecret.key' } }), outcome: 'UPLOAD_NOT_FOUND' },
];

/** Resumable uploads. */
export const CLOUD_UPLOAD_ROWS: Readonly<Record<string, OperationRow>> = {
  headUpload: { access: 'public', cases: UNKNOWN },
  patchUpload: { access: 'public', cases: UNKNOWN },
  deleteUpload: { access: 'public', cases: UNKNOWN },
  optionsUpload: {
    access: 'public',
    cases: [
      { about: 'the same for every address', request: () => ({ path: { token: 'x'.repeat(43) } }), outcome: 'ok' },
    ],
  },
  createUpload: {
    access: 'public',
    cases: [{ about: 'nobody', request: () => ({}), outcome: 'METHOD_NOT_ALLOWED' }],
  },
};
