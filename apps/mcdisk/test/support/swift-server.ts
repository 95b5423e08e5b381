import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@family-watch/testing/network/free-ports';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { S3Settings } from '../../src/storage/blobs/s3/s3-bucket.js';

const PROGRAMS = '/usr/bin';
const SWIFT_SERVERS = ['account', 'container', 'object'] as const;

/**
 * Runs OpenStack Swift on loopback as an object store with an S3 API. The server verifies version 4 signatures, and the
 * part sizes and ETags of multipart uploads. One copy of each object is stored in a temporary directory.
 */
export class SwiftServer {
  private readonly processes: ChildProcess[] = [];
  private output = '';

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly secretAccessKey: string,
  ) {}

  /** @param minPartBytes minimum size of every part of a multipart upload except the last, 5 MiB in S3 */
  static async start({ minPartBytes = 5 * 1024 * 1024, secretAccessKey = 'testing' } = {}): Promise<SwiftServer> {
    const directory = await mkdtemp(join(tmpdir(), 'swift-'));
    const [port, ...ports] = await freePorts(1 + SWIFT_SERVERS.length);
    const server = new SwiftServer(directory, port ?? 0, secretAccessKey);
    try {
      await server.configure(ports, minPartBytes);
      for (const name of [...SWIFT_SERVERS, 'proxy']) server.spawn(name);
      await server.waitUntilReady([...ports, server.port]);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Creates a bucket and returns the settings with which a store opens it. */
  async createBucket(name: string): Promise<S3Settings> {
    const settings = this.settings(name);
    const client = new S3Client(settings);
    await client.send(new CreateBucketCommand({ Bucket: name }));
    client.destroy();
    return settings;
  }

  settings(bucket: string): S3Settings & Required<Pick<S3Settings, 'credentials'>> {
    return {
      bucket,
      endpoint: `http://127.0.0.1:${this.port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test:tester', secretAccessKey: this.secretAccessKey },
      prefix: '',
      forcePathStyle: true,
    };
  }

  async stop(): Promise<void> {
    const running = this.processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ends = running.map((process) => once(process, 'exit'));
    for (const process of running) process.kill('SIGKILL');
    await Promise.all(ends);
    await rm(this.directory, { recursive: true, force: true });
  }

  private spawn(name: string): void {
    const program = spawn(join(PROGRAMS, `swift-${name}-server`), [join(this.directory, `${name}.conf`)]);
    for (const stream of [program.stdout, program.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-4_000)));
    }
    this.processes.push(program);
  }

  /** Waits for all four servers, because the proxy reports overload while another server is not ready. */
  private async waitUntilReady(ports: number[]): Promise<void> {
    for (const port of ports)
      await waitUntil(
        () => `Swift to start: ${this.output}`,
        () => isResponding(port),
      );
  }

  private async configure(ports: number[], minPartBytes: number): Promise<void> {
    await mkdir(join(this.directory, 'devices', 'disk'), { recursive: true });
    await writeFile(join(this.directory, 'swift.conf'), SWIFT_CONF);
    await writeFile(
      join(this.directory, 'proxy.conf'),
      proxyConf(this.defaults(this.port), this.secretAccessKey, minPartBytes),
    );
    for (const [index, name] of SWIFT_SERVERS.entries()) {
      const port = ports[index] ?? 0;
      await writeFile(join(this.directory, `${name}.conf`), storageConf(name, this.defaults(port)));
    }
    const rings = SWIFT_SERVERS.map((name, index) => `${name}:${ports[index]}`);
    await promisify(execFile)(join(PROGRAMS, 'python3'), ['-c', CREATE_RINGS, this.directory, ...rings]);
  }

  private defaults(port: number): string {
    return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${this.directory}
devices = ${join(this.directory, 'devices')}
mount_check = false
fallocate_reserve = 0
log_level = ERROR
`;
  }
}

/**
 * Creates the rings, with one device each, like `swift-ring-builder` with the commands `create 4 1 0`, `add` and
 * `rebalance`, but in one process for all rings.
 */
const CREATE_RINGS = `
import sys
from swift.common.ring import RingBuilder
directory, *rings = sys.argv[1:]
for name, port in (ring.split(':') for ring in rings):
    address = {'ip': '127.0.0.1', 'port': int(port), 'replication_ip': '127.0.0.1', 'replication_port': int(port)}
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'device': 'disk', 'weight': 1, 'meta': '', **address})
    builder.rebalance()
    builder.get_ring().save(f'{directory}/{name}.ring.gz')
`;

const SWIFT_CONF = `[swift-hash]
swift_hash_path_prefix = family
swift_hash_path_suffix = watch

[storage-policy:0]
name = only
default = yes
`;

function storageConf(name: string, defaults: string): string {
  return `${defaults}
[pipeline:main]
pipeline = ${name}-server

[app:${name}-server]
use = egg:swift#${name}
allow_versions = true
`;
}

/** Returns the configuration of the proxy, without memcached, so that lists are never outdated. */
function proxyConf(defaults: string, secretAccessKey: string, minPartBytes: number): string {
  return `${defaults}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 30
node_timeout = 60
recoverable_node_timeout = 60
error_suppression_limit = 1000000

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${secretAccessKey} .admin

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = ${minPartBytes}
${['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'copy', 'slo', 'dlo']
  .map((name) => `\n[filter:${name}]\nuse = egg:swift#${name}\n`)
  .join('')}`;
}

async function isResponding(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/healthcheck`).catch(() => undefined);
  await response?.body?.cancel();
  return response !== undefined;
}
