import { randomUUID } from 'node:crypto';
import type { OperationRow, PublicRow } from './operation-row.js';

/** A client with a ticket may upload or download, so an unknown ticket is rejected. */
export const UNKNOWN_TICKETS: PublicRow['cases'] = [
  { title: 'rejects a missing ticket', request: () => ({}), outcome: 'TICKET_INVALID' },
  {
    title: 'rejects a guessed ticket',
    request: () => ({ query: { ticket: 'x'.repeat(43) } }),
    outcome: 'TICKET_INVALID',
  },
  {
    title: 'rejects the token of an upload',
    request: ({ uploadToken }) => ({ query: { ticket: uploadToken } }),
    outcome: 'TICKET_INVALID',
  },
];

/** Operations of watches and of ticket holders on firmware. */
export const FIRMWARE_ROWS: Readonly<Record<string, OperationRow>> = {
  checkFirmware: {
    callerKinds: ['watch'],
    // The server ignores the ids in the body: a watch checks and reports only for itself.
    request: ({ did }) => ({ body: { did, firmwareVersion: '1.0.0', battery: 80, charging: false } }),
    rejections: {},
  },
  reportFirmware: {
    callerKinds: ['watch'],
    request: ({ did }) => ({ body: { did, deploymentId: randomUUID(), attempt: 1, state: 'SUCCESS' } }),
    rejections: {},
    watch: 'DEPLOYMENT_NOT_FOUND',
  },
  putFirmwareImage: { callerKinds: 'public', cases: UNKNOWN_TICKETS },
  getFirmwareImage: { callerKinds: 'public', cases: UNKNOWN_TICKETS },
  headFirmwareImage: { callerKinds: 'public', cases: UNKNOWN_TICKETS },
};
