import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess, waitUntil } from './server-process.js';
import type { AppInstance } from './app.js';

export interface NginxOptions {
  /** For its configuration, its log, and what it receives. */
  folder: string;
  /** Served under `/files/`, and written to by PUT. */
  files: string;
  /** mcdisk behind it, and the folder of its blobs, which it hands over by X-Accel-Redirect to `/_blobs/`. */
  behind?: { port: number; blobs: string };
}

/** Debian's nginx as a server of files: one process, whose CPU time is all that it uses. @throws Error when it is not installed */
export async function startNginx({ folder, files, behind }: NginxOptions): Promise<AppInstance> {
  const port = await freePort();
  await mkdir(join(folder, 'nginx', 'body'), { recursive: true });
  const config = join(folder, 'nginx', 'nginx.conf');
  await writeFile(config, configOf(join(folder, 'nginx'), port, files, behind));
  const server = await ServerProcess.start({
    name: 'nginx',
    command: 'nginx',
    args: ['-c', config, '-e', 'stderr'],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` },
  });
  await waitUntil('nginx answers', () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}

function configOf(own: string, port: number, files: string, behind: NginxOptions['behind']): string {
  // Only root may choose, and then it must be somebody who can read the files.
  const user = userInfo().uid === 0 ? 'user root;' : '';
  const proxy = behind
    ? `location /app-api/ { proxy_pass http://mcdisk; proxy_http_version 1.1; proxy_set_header Connection ""; }
       location /_blobs/ { internal; alias ${behind.blobs}/; }`
    : '';
  const upstream = behind ? `upstream mcdisk { server 127.0.0.1:${behind.port}; keepalive 32; }` : '';
  return `${user} daemon off; master_process off; pid ${own}/nginx.pid; error_log stderr;
    events { worker_connections 512; }
    http {
      access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; client_max_body_size 0;
      keepalive_requests 1000000;
      client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/fastcgi;
      uwsgi_temp_path ${own}/uwsgi; scgi_temp_path ${own}/scgi;
      ${upstream}
      server {
        listen 127.0.0.1:${port};
        location /files/ { alias ${files}/; dav_methods PUT; create_full_put_path on; }
        ${proxy}
      }
    }`;
}
