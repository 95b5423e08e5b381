import { ROUTE_TABLE } from '@family-watch/platform/http/route-table';

/** Ports of the app processes behind the edge (nginx). */
export interface EdgePorts {
  userctx: number;
  mcdisk: number;
  'gateway-1': number;
  'gateway-2': number;
}

/** Returns an nginx configuration that distributes requests round robin and skips unavailable gateways. */
export function edgeConfiguration(port: number, ports: EdgePorts, directory: string): string {
  const locations = ROUTE_TABLE.map(({ pathPrefix, app }) => {
    const match = pathPrefix.endsWith('/') ? pathPrefix : `= ${pathPrefix}`;
    return `    location ${match} { proxy_pass http://${app}; }`;
  });
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${directory}/${name};`,
  );
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
${temporaryPaths.join('\n')}
  upstream userctx { server 127.0.0.1:${ports.userctx}; }
  upstream mcdisk { server 127.0.0.1:${ports.mcdisk}; }
  upstream gateway {
    server 127.0.0.1:${ports['gateway-1']} max_fails=1 fail_timeout=1s;
    server 127.0.0.1:${ports['gateway-2']} max_fails=1 fail_timeout=1s;
  }
  map $http_upgrade $connection_to_app { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    merge_slashes off;
    client_max_body_size 0;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_to_app;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_read_timeout 1h;
    # A request must never be executed twice, so nginx retries a request only if it could not be sent.
    proxy_next_upstream error;
${locations.join('\n')}
    location = /health/ready { return 200; }
    location / { return 404; }
  }
}
`;
}
