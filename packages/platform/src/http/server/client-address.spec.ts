import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { clientAddressReader } from './client-address.js';

test.each([undefined, '127.0.0.1'])(
  'a request whose connection is closed has an empty address (TRUSTED_PROXIES=%s)',
  (TRUSTED_PROXIES) => {
    const socket = new Socket();
    socket.destroy();
    expect(clientAddressReader({ TRUSTED_PROXIES })(new IncomingMessage(socket))).toBe('');
  },
);
