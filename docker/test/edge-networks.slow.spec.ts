import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@family-watch/testing/network/free-ports';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { DOCKER_DIRECTORY } from './support/compose-file.js';
import { isSuccessful, ServiceProcess } from './support/service-process.js';

/** The lines of the edge's configuration that decide what counts as one client. */
function clientNetworkMap(): string {
  const configuration = readFileSync(join(DOCKER_DIRECTORY, 'edge/nginx.conf'), 'utf8');
  const [map = ''] = /map \$binary_remote_addr \$client_network \{[^]*?\n {2}\}/.exec(configuration) ?? [];
  expect(configuration.match(/limit_conn_zone \$client_network /g)).toHaveLength(2);
  return map;
}

/** The lines of the edge's configuration that decide which apps receive cookies. */
function cookieMap(): string {
  const configuration = readFileSync(join(DOCKER_DIRECTORY, 'edge/nginx.conf'), 'utf8');
  const [map = ''] = /map \$app \$cookie_to_app \{[^]*?\n {2}\}/.exec(configuration) ?? [];
  // A location with headers of its own inherits none.
  const headerLists = configuration.match(/proxy_set_header Forwarded '';/g);
  expect(configuration.match(/proxy_set_header Cookie \$cookie_to_app;/g)).toHaveLength(headerLists?.length ?? 0);
  return map;
}

needs('nginx').describe('the edge', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-edge-networks-'));
  const waiting = new Map<string, ServerResponse>();
  /** Keeps each request open until the test answers it. */
  const app = createServer(({ headers }, response) => {
    if (headers['x-client'] === undefined) response.end(headers.cookie ?? 'no cookie');
    else waiting.set(String(headers['x-client']), response);
  });
  let nginx: ServiceProcess;
  let port: number;

  beforeAll(async () => {
    await once(app.listen(0, '127.0.0.1'), 'listening');
    port = await freePort();
    const file = join(directory, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${directory}/nginx.pid;
error_log stderr crit;
events { worker_connections 256; }
http {
  access_log off;
  ${paths.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  set_real_ip_from 127.0.0.1;
  real_ip_header X-Forwarded-For;
  ${clientNetworkMap()}
  ${cookieMap()}
  limit_conn_zone $client_network zone=connections:1m;
  limit_conn_status 429;
  server {
    listen 127.0.0.1:${port};
    location = /ready { return 200; }
    proxy_set_header Cookie $cookie_to_app;
    location /userctx { set $app userctx; proxy_pass http://127.0.0.1:${(app.address() as AddressInfo).port}; }
    location /gateway { set $app gateway; proxy_pass http://127.0.0.1:${(app.address() as AddressInfo).port}; }
    location / { set $app edge; limit_conn connections 1; proxy_pass http://127.0.0.1:${(app.address() as AddressInfo).port}; }
  }
}
`,
    );
    nginx = new ServiceProcess({ name: 'nginx', file: programPath('nginx'), args: ['-c', file, '-e', 'stderr'] });
    await nginx.waitFor(() => isSuccessful(`http://127.0.0.1:${port}/ready`));
  });
  afterAll(async () => {
    await nginx.stop();
    app.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Sends a request from this address. Returns its status, or 'open' when it has reached the app. */
  async function send(address: string): Promise<number | 'open'> {
    const client = `${address} ${Math.random()}`;
    const sent = request({ port, path: '/', headers: { 'x-forwarded-for': address, 'x-client': client } });
    const answered = once(sent, 'response').then(([response]) => {
      (response as NodeJS.ReadableStream & { statusCode: number }).resume();
      return (response as { statusCode: number }).statusCode;
    });
    sent.end();
    const arrived = once(app, 'request').then(() => 'open' as const);
    return Promise.race([answered, arrived]);
  }

  test.each([
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:2::1'],
    ['2001:db8:a0a:a0a::a', '2001:db8:a0a:a0a:a0a:a0a:a0a:a0a', '2001:db8:a0a:a0b::a'],
    ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ])('the edge counts %s and %s as one client, and %s as another', async (first, same, other) => {
    expect([await send(first), await send(same), await send(other)]).toEqual(['open', 429, 'open']);
    for (const response of waiting.values()) response.end();
    waiting.clear();
  });

  test('only userctx receives the cookie of the refresh token', async () => {
    const cookieAt = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie: '__Host-refresh=secret' } });
      return response.text();
    };
    expect([await cookieAt('/userctx'), await cookieAt('/gateway')]).toEqual(['__Host-refresh=secret', 'no cookie']);
  });
});
