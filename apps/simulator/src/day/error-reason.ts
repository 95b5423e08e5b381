import { ApiError } from '@family-watch/client/api-error';

/** The reason of a refusal, or `accepted`. @throws whatever else goes wrong */
export async function errorReasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}
