import { ApiError } from '@family-watch/client/api-error';

/** Returns the reason of the service's error response, or `accepted` for a success. @throws other errors of `call` */
export async function errorReasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}
