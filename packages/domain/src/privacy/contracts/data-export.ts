/**
 * States of an export. WAITING: the archive waits for others or for space. RUNNING: the archive is being assembled. READY: the archive can be downloaded.
 * FAILED: the archive could not be assembled. ENDED: the archive was deleted, because it expired, the person requested
 * another export, or the person may no longer read what it contains.
 */
export const DATA_EXPORT_STATE = {
  WAITING: 'WAITING',
  RUNNING: 'RUNNING',
  READY: 'READY',
  FAILED: 'FAILED',
  ENDED: 'ENDED',
} as const;
export type DataExportState = (typeof DATA_EXPORT_STATE)[keyof typeof DATA_EXPORT_STATE];

/**
 * Why an export failed. TOO_LARGE: the archive needs more than the share of the space for exports that one person may use.
 * ERROR: several attempts failed.
 */
export const EXPORT_FAILURE_REASON = { TOO_LARGE: 'TOO_LARGE', ERROR: 'ERROR' } as const;
export type ExportFailureReason = (typeof EXPORT_FAILURE_REASON)[keyof typeof EXPORT_FAILURE_REASON];

/** What an archive contains so far. */
export interface ExportProgress {
  /** Records in JSON files. */
  records: number;
  /** Files of family clouds. */
  files: number;
  /** Bytes of these files. */
  bytes: number;
}

export interface DataExportEvents {
  /** An export was requested, became ready, failed or ended. Key: `user:<userId>`. `time`: Unix milliseconds. */
  'userctx.data-export.changed': { exportId: string; userId: string; state: DataExportState; time: number };
  /** The archive of an export grew, was postponed, became complete or failed. Key: `exportId`. `time`: Unix milliseconds. */
  'mcdisk.data-export.progressed': ExportProgress & {
    exportId: string;
    state: Extract<DataExportState, 'WAITING' | 'RUNNING' | 'READY' | 'FAILED'>;
    failureReason?: ExportFailureReason;
    /** Size of the complete archive in bytes; 0 before. */
    size: number;
    time: number;
  };
}

/** A JSON file of an archive. */
export interface ExportDocument {
  /** Path in the archive. */
  path: string;
  /** What the file contains. */
  section: string;
  /** Whose: the id of a family, child, watch or conversation; empty for the person's own. */
  id: string;
}

export interface ExportPageRequest {
  userId: string;
  section: string;
  id: string;
  cursor: string | null;
}

export interface ExportPage {
  records: readonly unknown[];
  nextCursor: string | null;
}

/** Maximum number of records in a page. */
export const EXPORT_PAGE_SIZE = 500;

/**
 * The data of a person that an app supplies for exports. It contains only what the person can read by the operations of
 * the app at this moment. Also the injection token of the source of the gateway, which userctx does not know.
 */
export abstract class DataExportSource {
  abstract listDocuments(userId: string): Promise<ExportDocument[]>;
  /** Returns null if the person may not read the data. */
  abstract readPage(request: ExportPageRequest): Promise<ExportPage | null>;
}

/** Path of the operation at which archives are downloaded, with the query parameter `ticket`. */
export const DATA_EXPORT_PATH = '/app-api/mcdisk/data-export';

/** Format of the tickets that userctx signs and mcdisk verifies. */
export const DATA_EXPORT_TICKET = {
  issuer: 'family-watch',
  audience: 'family-watch/mcdisk/data-export',
  type: 'det+jwt',
  algorithm: 'EdDSA',
  /** Seconds in which a download must begin. */
  lifetime: 300,
} as const;

/** Claims of a ticket: it permits the session of a person to download one archive. */
export interface DataExportTicketClaims {
  exportId: string;
  /** `user:<userId>`. */
  sub: string;
  /** Id of the session. */
  sid: string;
}
