import type { OperationRow, PublicRow } from './operation-row.js';

/** Cases of unknown tokens. Any client that has the token in the URL may upload, so an unknown token is rejected. */
const UNKNOWN_TOKENS: PublicRow['cases'] = [
  {
    title: 'rejects a guessed token',
    request: () => ({ path: { token: 'x'.repeat(43) } }),
    outcome: 'UPLOAD_NOT_FOUND',
  },
  {
    title: 'rejects a content id as token',
    request: ({ contentID: token }) => ({ path: { token } }),
    outcome: 'UPLOAD_NOT_FOUND',
  },
  {
    title: 'rejects a path traversal',
    request: () => ({ path: { token: '..%2f..%2fsecret.key' } }),
    outcome: 'UPLOAD_NOT_FOUND',
  },
];

/** Operations of resumable uploads (tus). */
export const CLOUD_UPLOAD_ROWS: Readonly<Record<string, OperationRow>> = {
  headUpload: { callerKinds: 'public', cases: UNKNOWN_TOKENS },
  patchUpload: { callerKinds: 'public', cases: UNKNOWN_TOKENS },
  deleteUpload: { callerKinds: 'public', cases: UNKNOWN_TOKENS },
  optionsUpload: {
    callerKinds: 'public',
    cases: [
      {
        title: 'responds in the same way for every token',
        request: () => ({ path: { token: 'x'.repeat(43) } }),
        outcome: 'ok',
      },
    ],
  },
  createUpload: {
    callerKinds: 'public',
    cases: [{ title: 'rejects the creation of uploads by tus', request: () => ({}), outcome: 'METHOD_NOT_ALLOWED' }],
  },
};
