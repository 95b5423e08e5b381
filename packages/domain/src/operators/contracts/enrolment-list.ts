/** Maximum number of IMEIs in one request. */
export const MAX_ENROLMENT_LIST_ROWS = 10_000;

/** What a request did with one IMEI. See `EnrolmentListResultsDto`. */
export type EnrolmentListResult =
  | 'ADDED'
  | 'UPDATED'
  | 'UNCHANGED'
  | 'REMOVED'
  | 'NOT_LISTED'
  | 'DUPLICATE'
  | 'INVALID';
