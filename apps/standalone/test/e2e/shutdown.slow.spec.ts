import { expect, test } from '@jest/globals';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { describeOneDeployment } from '../support/deployments.js';
import { INCOMPLETE_REQUEST, stopDuringRequest } from '../support/incomplete-request.js';
import { TestService } from '../support/test-service.js';

const INCOMPLETE_HEADER = 'GET / HTTP/1.1\r\nHost:';
const WEBSOCKET_REQUEST = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  'Host: family-watch',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '',
  '',
].join('\r\n');
const UNREAD_REQUESTS = 'GET /docs/openapi.json HTTP/1.1\r\nHost: family-watch\r\n\r\n'.repeat(4);

/** The suite starts its own services, because it stops them. */
describeOneDeployment('A36 shutdown', 'distributed', (deployment) => {
  test('answers requests in progress and exits with 0, although other clients never finish', async () => {
    // Only the shutdown may end the incomplete requests.
    const service = await TestService.start(deployment, {
      SHUTDOWN_GRACE: 12,
      HTTP_HEAD_TIMEOUT: 300,
      HTTP_BODY_TIMEOUT: 300,
      HTTP_STALL_TIMEOUT: 300,
    });
    const clients: RawConnection[] = [];
    for (const url of service.processUrls) {
      for (const text of [INCOMPLETE_HEADER, INCOMPLETE_REQUEST, WEBSOCKET_REQUEST, UNREAD_REQUESTS])
        clients.push((await RawConnection.open(url)).stopReading().send(text));
    }
    const [userctxUrl = ''] = service.processUrls;
    const { received, stopped } = await stopDuringRequest(userctxUrl, () => service.stop());
    expect(received).toMatch(/HTTP\/1.1 400 [\s\S]*connection: close/i);
    const exitCodes = await stopped;
    expect(exitCodes).toEqual(exitCodes.map(() => 0));
    for (const client of clients) client.close();
  });
});
