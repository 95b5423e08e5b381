import type { ErrorDetail } from './service-error.js';

/**
 * Path prefixes by surface. A surface is a set of paths whose responses have the same envelope (specification 4 and 7).
 */
export const SURFACE_PREFIXES = {
  plain: '/apis/v2/',
  wrapped: '/hmd-wx/api/v2/',
  cloud: '/app-api/mcdisk/',
} as const;

export type Surface = keyof typeof SURFACE_PREFIXES;

/** Response body of an error on `/apis/v2/`. A success has no envelope there. */
export interface PlainError {
  code: number;
  message: string;
  reason: string;
  details?: ErrorDetail[];
}

/** Response body on `/hmd-wx/api/v2/` (specification 4.3). `code` is 0 for success. */
export interface WrappedEnvelope<Data> {
  code: number;
  message: string;
  data: Data | null;
  reason?: string;
  details?: ErrorDetail[];
}

/** Response body on `/app-api/mcdisk/` (specification 4.2). `code` is 0 for success. */
export interface CloudEnvelope<Data> {
  code: number;
  data: Data | null;
  msg: string;
  reason?: string;
  details?: ErrorDetail[];
}

/** Returns the surface of a path, or undefined for paths without an envelope. */
export function surfaceOf(path: string): Surface | undefined {
  return (Object.keys(SURFACE_PREFIXES) as Surface[]).find((surface) => path.startsWith(SURFACE_PREFIXES[surface]));
}
