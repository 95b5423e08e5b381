import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { freePort } from '@family-watch/testing/network/free-ports';
import { ServerProcess } from './server-process.js';
import type { AppInstance } from './app.js';

export interface NginxOptions {
  /** Folder of this server only, for the configuration, the pid file and temporary files. */
  folder: string;
  /** Folder that is served under `/files/` and written by PUT. */
  filesDirectory: string;
  /** Port and blob folder of mcdisk as backend, which delegates downloads by X-Accel-Redirect to `/_blobs/`. */
  backend?: { port: number; blobs: string };
}

/**
 * Starts Debian's nginx as a file server in one process, so that the CPU time of that process includes all work of
 * nginx.
 *
 * @throws Error when nginx is not installed
 */
export async function startNginx({ folder, filesDirectory, backend }: NginxOptions): Promise<AppInstance> {
  const port = await freePort();
  await mkdir(join(folder, 'body'), { recursive: true });
  const config = join(folder, 'nginx.conf');
  await writeFile(config, createConfig(folder, port, filesDirectory, backend));
  const server = await ServerProcess.start({
    name: 'nginx',
    command: 'nginx',
    args: ['-c', config, '-e', 'stderr'],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` },
  });
  await waitUntil('nginx responds', () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}

function createConfig(
  directory: string,
  port: number,
  filesDirectory: string,
  backend: NginxOptions['backend'],
): string {
  // If this process runs as root, nginx must also run as root to read its files. Only root may set `user`.
  const user = userInfo().uid === 0 ? 'user root;' : '';
  const proxy = backend
    ? `location /app-api/ { proxy_pass http://mcdisk; proxy_http_version 1.1; proxy_set_header Connection ""; }
       location /_blobs/ { internal; alias ${backend.blobs}/; }`
    : '';
  const upstream = backend ? `upstream mcdisk { server 127.0.0.1:${backend.port}; keepalive 32; }` : '';
  return `${user} daemon off; master_process off; pid ${directory}/nginx.pid; error_log stderr;
    events { worker_connections 512; }
    http {
      access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; client_max_body_size 0;
      keepalive_requests 1000000; proxy_max_temp_file_size 0;
      client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi;
      uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
      ${upstream}
      server {
        listen 127.0.0.1:${port};
        location /files/ { alias ${filesDirectory}/; dav_methods PUT; create_full_put_path on; }
        ${proxy}
      }
    }`;
}
