import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

export const INCOMPLETE_REQUEST = [
  'POST /apis/v2/userctx/user/account/sign-in HTTP/1.1',
  'Host: family-watch',
  'Content-Type: application/json',
  'Content-Length: 20',
  'Expect: 100-continue',
  '',
  '{"phoneNumber"',
].join('\r\n');
const REST_OF_BODY = ':"1"}\n';

/**
 * Stops a service while it receives the body of a request, which is completed when the service rejects connections.
 *
 * @returns all responses on the connection, and the result of `stop`
 */
export async function stopDuringRequest<Result>(
  url: string,
  stop: () => Result,
): Promise<{ received: string; stopped: Result }> {
  const connection = (await RawConnection.open(url)).send(INCOMPLETE_REQUEST);
  await waitUntil('the service receives the body', () => connection.text.includes('100 Continue'));
  const stopped = stop();
  await waitUntil('the service rejects connections', () => rejectsConnections(url));
  await connection.send(REST_OF_BODY).untilEnded();
  return { received: connection.text, stopped };
}

async function rejectsConnections(url: string): Promise<boolean> {
  try {
    (await RawConnection.open(url)).close();
    return false;
  } catch {
    return true;
  }
}
