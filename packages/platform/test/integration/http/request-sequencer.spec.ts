import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionTable, parseNetworks } from '../../../src/http/connection-table.js';
import { RequestSequencer } from '../../../src/http/request-sequencer.js';

const BODY_COUNT = 1_280;
const STALLED_REQUEST = 'POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n{';

test('each call of endOverdue ends one of every 32 overdue request bodies, and at least 32 request bodies', async () => {
  const limits = { perAddress: 2 * BODY_COUNT, total: 2 * BODY_COUNT, unreadBytes: Infinity };
  const connections = new ConnectionTable(limits, parseNetworks());
  let received = 0;
  const sequencer = new RequestSequencer(() => (received += 1), connections, { body: 1_000, stall: 1_000 });
  const server = createServer((request, response) => sequencer.receive(request, response));
  server.on('connection', (socket) => connections.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = await Promise.all(Array.from({ length: BODY_COUNT }, () => RawConnection.open(url)));
  for (const client of clients) client.send(STALLED_REQUEST);
  await waitUntil('all requests are received', () => received === BODY_COUNT);
  const responded = (): number => clients.filter(({ statuses }) => statuses[0] === 408).length;
  for (const total of [40, 79, 117]) {
    sequencer.endOverdue(performance.now() + 60_000);
    await waitUntil('the responses arrive', () => responded() >= total);
    expect(responded()).toBe(total);
  }
  await waitUntil('all connections have ended', () => {
    sequencer.endOverdue(performance.now() + 60_000);
    return clients.every(({ isEnded }) => isEnded);
  });
  server.close();
});
