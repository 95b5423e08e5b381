import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { freePorts } from '@family-watch/testing/network/free-ports';
import { PROCESS_NAMES } from '@family-watch/testing/service/distributed-service';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { conversationIdsOf } from '../support/access/conversation-ids.js';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk, HttpClient } from '../support/http-client.js';
import { PROMETHEUS_CONFIGURATION, PrometheusServer } from '../support/prometheus.js';
import { TestService } from '../support/test-service.js';
import { TraceCollector, type CollectedSpan } from '../support/trace-collector.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { findMissing } from '@family-watch/testing/requirements/requirements';

const DASHBOARDS = resolve(import.meta.dirname, '../../../../docker/grafana/dashboards');
const APPS = ['gateway', 'mcdisk', 'userctx'];
/** Without scrape failures there is no value of their counter. */
const ABSENT_WITHOUT_FAILURES = ['family_watch_scrape_failures_total'];

interface Dashboard {
  panels: { targets: { expr: string }[] }[];
}

/** A line of the metrics: `name{label="value",…} value`. */
interface Line {
  name: string;
  labels: Record<string, string>;
  value: number;
}

function parseMetrics(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** Returns the names of the metrics in PromQL expressions, without the suffixes of the series of a histogram. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\b(?:family_watch|nodejs|process)_\w+/g)].map(([name]) => name);
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))].toSorted();
}

/** Returns the span and its ancestors, the nearest first. */
function withAncestors(span: CollectedSpan, spans: readonly CollectedSpan[]): CollectedSpan[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [span, ...withAncestors(parent, spans)] : [span];
}

// An own service, because the port of the metrics and the collector of traces are settings, and because gauges count the
// rows of the service.
describeOneDeployment('observability', 'distributed', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;
  let targets: string[];
  let collector: TraceCollector;
  /** Starts while the first tests run; undefined if Prometheus is not installed. */
  let prometheus: Promise<PrometheusServer> | undefined;

  beforeAll(async () => {
    const ports = await freePorts(PROCESS_NAMES.length);
    const processSettings = Object.fromEntries(
      PROCESS_NAMES.map((name, index) => [name, { METRICS_PORT: ports[index] }]),
    );
    targets = (deployment === 'standalone' ? ports.slice(0, 1) : ports).map((port) => `127.0.0.1:${port}`);
    collector = await TraceCollector.start();
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: 1,
      ...(deployment === 'standalone' ? { METRICS_PORT: ports[0] } : {}),
    };
    prometheus = findMissing('prometheus') === undefined ? PrometheusServer.start(targets) : undefined;
    service = await TestService.start(deployment, settings, processSettings);
    fixture = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    await (await prometheus)?.stop();
    await service.stop();
    await collector.stop();
  });

  async function readMetrics(): Promise<Line[]> {
    const texts = targets.map(async (target) => (await fetch(`http://${target}/metrics`)).text());
    return parseMetrics((await Promise.all(texts)).join('\n'));
  }

  const sumOf = (lines: readonly Line[], name: string, labels: Record<string, string> = {}) =>
    lines
      .filter(
        (line) => line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value),
      )
      .reduce((sum, { value }) => sum + value, 0);

  test('metrics change with requests, socket events, messages, events, files and jobs', async () => {
    const { owner, watch } = fixture;
    const [phone, wrist] = [await owner.connect(), await watch.connect()];
    const { conversationId } = await conversationIdsOf(fixture);
    const before = await readMetrics();
    await phone.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'Where are you?' });
    await wrist.waitFor(() => wrist.messagesOfKind('ChatTextMessage').length > 0, 'the message');
    await phone.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId: 'unknown', text: 'x' });
    await phone.send('NoSuchEvent', {});
    await expectOk(owner.get('child/get', { cid: fixture.cid }));
    await new HttpClient(service.url).get('child/get');
    await owner.get(`no-such-path/${owner.phoneNumber}`);
    await fixture.storeFile();
    const counted = [
      ['family_watch_http_request_duration_seconds_count', { app: 'userctx', operation: 'getChild', status: '2xx' }],
      ['family_watch_http_request_duration_seconds_count', { app: 'userctx', operation: 'getChild', status: '4xx' }],
      ['family_watch_http_request_duration_seconds_count', { app: 'mcdisk', status: '2xx' }],
      ['family_watch_http_unmatched_requests_total', {}],
      ['family_watch_socket_event_duration_seconds_count', { event: 'ChatTextMessage', outcome: 'ok' }],
      ['family_watch_socket_event_duration_seconds_count', { event: 'ChatTextMessage', outcome: 'rejected' }],
      ['family_watch_socket_event_duration_seconds_count', { event: 'unknown', outcome: 'rejected' }],
      ['family_watch_socket_frames_total', {}],
      ['family_watch_socket_messages_total', {}],
      ['family_watch_message_delivery_delay_seconds_count', {}],
      ['family_watch_event_handling_delay_seconds_count', { app: 'gateway', source: 'mcdisk' }],
      ['family_watch_job_duration_seconds_count', { job_name: 'gateway.video-calls.check-parties' }],
      ['family_watch_job_last_success_timestamp_seconds', { job_name: 'userctx.sos.escalate' }],
      ['process_cpu_seconds_total', {}],
    ] as const;
    // Gauges are measured at most once in three seconds.
    await waitFor(async () => {
      const after = await readMetrics();
      const unchanged = counted.filter(([name, labels]) => sumOf(after, name, labels) <= sumOf(before, name, labels));
      expect(unchanged).toEqual([]);
      expect(sumOf(after, 'family_watch_socket_connections', { principal: 'user' })).toBe(1);
      expect(sumOf(after, 'family_watch_socket_connections', { principal: 'watch' })).toBe(1);
      expect(sumOf(after, 'family_watch_blob_bytes', { state: 'LIVE' })).toBe(5);
      expect(sumOf(after, 'family_watch_mailbox_unacknowledged_messages')).toBeGreaterThan(0);
    });
    phone.close();
    wrist.close();
  });

  test('metrics report dead letters, retries, unpublished events and due rows', async () => {
    const minuteAgo = Date.now() - 60_000;
    // No process publishes the event while another holder has the lease of the relay; no process sends the push request
    // while it is claimed.
    await service.query(`
      INSERT INTO mcdisk.dead_letter (handler, key, attempts, parked_at, raw) VALUES ('-', '', 1, now(), 'x');
      INSERT INTO userctx.parked (handler, event_id, key, event, attempts, next_attempt_at)
      VALUES ('removed.handler', gen_random_uuid(), 'key', '{}', 1, now() + interval '1 hour');
      UPDATE mcdisk.relay SET holder = gen_random_uuid(), expires_at = now() + interval '1 hour';
      INSERT INTO mcdisk.outbox (id, partition, key, name, time, payload)
      VALUES (gen_random_uuid(), 3, 'key', 'mcdisk.test.happened', ${minuteAgo}, '{}');
      INSERT INTO gateway.push_request (
        user_id, collapse_key, head, kind, category, urgent, subject, due_at, expires_at, claimed_until
      )
      VALUES ('someone', 'key', 1, 'ChatTextMessage', 'CHAT', false, '{}', ${minuteAgo}, ${minuteAgo}, ${minuteAgo + 3_600_000})`);
    await waitFor(async () => {
      const lines = await readMetrics();
      const largest = (name: string, labels: Record<string, string>) =>
        Math.max(...lines.filter((line) => sumOf([line], name, labels) > 0).map(({ value }) => value), 0);
      expect(largest('family_watch_dead_letters', { app: 'mcdisk' })).toBe(1);
      expect(largest('family_watch_dead_letters', { app: 'gateway' })).toBe(0);
      expect(largest('family_watch_retry_queue', { app: 'userctx' })).toBe(1);
      expect(largest('family_watch_outbox_unpublished', { app: 'mcdisk', partition: '3' })).toBe(1);
      expect(largest('family_watch_outbox_unpublished', { app: 'mcdisk', partition: '4' })).toBe(0);
      expect(largest('family_watch_outbox_delay_seconds', { app: 'mcdisk' })).toBeGreaterThanOrEqual(60);
      const pushes = { job_name: 'gateway.notifications.send-due-pushes' };
      expect(largest('family_watch_job_queue_depth', pushes)).toBe(1);
      expect(largest('family_watch_job_queue_age_seconds', pushes)).toBeGreaterThanOrEqual(60);
    });
  });

  test('metrics contain everything that alerts and dashboards use, for each app', async () => {
    const lines = await readMetrics();
    const served = new Set(lines.map(({ name }) => name.replace(/_(bucket|count|sum)$/, '')));
    const files = readdirSync(DASHBOARDS).map((name) => readFileSync(join(DASHBOARDS, name), 'utf8'));
    const used = namesIn([...files, readFileSync(join(PROMETHEUS_CONFIGURATION, 'alerts.yml'), 'utf8')].join('\n'));
    expect(used.length).toBeGreaterThan(25);
    expect(used.filter((name) => !served.has(name) && !ABSENT_WITHOUT_FAILURES.includes(name))).toEqual([]);
    for (const name of ['family_watch_bus_connected', 'family_watch_database_pool_size'])
      expect(
        [...new Set(lines.filter((line) => line.name === name).map(({ labels }) => labels['app']))].sort(),
      ).toEqual(APPS);
  });

  test('metrics have only names from the code as labels, without ids, phone numbers and tokens', async () => {
    const values = new Set((await readMetrics()).flatMap(({ labels }) => Object.values(labels)));
    const secrets = [...fixture.ids, fixture.owner.phoneNumber, fixture.owner.tokens.accessToken];
    expect(values.size).toBeGreaterThan(50);
    for (const value of values) {
      expect(value).toMatch(/^[\w+.-]{1,64}$/);
      expect(value).not.toMatch(/\d{6}|[0-9a-f]{8}/);
      for (const secret of secrets) expect(value).not.toContain(secret);
    }
  });

  test('metrics are served only at their own port, to GET requests for one path, on a few connections', async () => {
    for (const url of service.processUrls) {
      for (const path of ['/metrics', '/internal/metrics']) expect((await fetch(url + path)).status).toBe(404);
    }
    const [target = ''] = targets;
    expect((await fetch(`http://${target}/`)).status).toBe(404);
    expect((await fetch(`http://${target}/metrics`, { method: 'POST' })).status).toBe(405);
    const connections = await Promise.all(
      Array.from({ length: 20 }, () => RawConnection.open(`http://${target}`, '127.0.0.9')),
    );
    await waitFor(() => expect(connections.filter(({ isEnded }) => isEnded).length).toBeGreaterThanOrEqual(4));
    for (const { socket } of connections) socket.destroy();
    await waitFor(async () => expect((await fetch(`http://${target}/metrics`)).ok).toBe(true));
  });

  test('one trace contains the request, its statements, the event, its handling and the message to the socket', async () => {
    const { owner, watch } = fixture;
    const wrist = await watch.connect();
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const response = await fetch(`${service.url}/apis/v2/userctx/user/device/remote-control/find`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.tokens.accessToken}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${spanId}-01`,
      },
      body: JSON.stringify({ did: watch.did }),
    });
    expect(response.status).toBe(200);
    await wrist.waitFor(() => wrist.messagesOfKind('RemoteControlFindNoticeMessage').length > 0, 'the command');
    const [userctx, gateway] =
      deployment === 'standalone'
        ? ['family-watch-standalone', 'family-watch-standalone']
        : ['family-watch-userctx', 'family-watch-gateway'];
    const path = await waitFor(() => {
      const spans = collector.spansOf(traceId);
      const delivery = spans.find(({ name }) => name === 'deliver RemoteControlFindNoticeMessage');
      const found = delivery ? withAncestors(delivery, spans) : [];
      expect(found.at(-1)?.parentSpanId).toBe(spanId);
      return found;
    });
    expect(path.map(({ service: name }) => name)).toEqual([gateway, gateway, userctx]);
    const [delivery, handling, request] = path;
    expect(delivery?.attributes).toEqual({ 'family_watch.app': 'gateway' });
    expect(handling?.name).toMatch(/^handle userctx\./);
    expect(request).toMatchObject({
      name: 'findWatch',
      parentSpanId: spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'http.route': '/apis/v2/userctx/user/device/remote-control/find',
        'family_watch.app': 'userctx',
      },
    });
    const statements = collector.spansOf(traceId).filter(({ attributes }) => 'db.system.name' in attributes);
    const namesBelow = (parent: typeof request) =>
      statements.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name);
    expect(namesBelow(request)).toEqual(
      expect.arrayContaining(['INSERT userctx.remote_command', 'INSERT userctx.outbox', 'COMMIT']),
    );
    expect(namesBelow(handling)).toEqual(expect.arrayContaining(['INSERT gateway.inbox', 'COMMIT']));
    wrist.close();
  });

  test('traces contain no ids, phone numbers, tokens and messages', async () => {
    const secrets = [...fixture.ids, fixture.owner.phoneNumber, fixture.owner.tokens.accessToken, 'Where are you?'];
    const texts = collector.spans.map(({ name, attributes }) => JSON.stringify([name, attributes]));
    expect(texts.length).toBeGreaterThan(100);
    for (const text of texts) {
      expect(text).not.toMatch(/\d{6}|[0-9a-f]{8}-/);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  needs('prometheus').describe('Prometheus', () => {
    test('scrapes the metrics, and evaluates all alerts and the expressions of the dashboards', async () => {
      const server = await (prometheus as Promise<PrometheusServer>);
      await waitFor(async () => {
        const up = await server.query('up{job="family-watch"} == 1');
        expect(up.map(({ metric }) => metric['instance']).toSorted()).toEqual(targets.toSorted());
        const rules = await server.listAlertRules();
        expect(rules.length).toBeGreaterThan(15);
        expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      });
      const jobs = await server.query('family_watch_job_queue_depth{job="family-watch"}');
      expect(jobs.map(({ metric }) => metric['job_name'])).toContain('userctx.sos.escalate');
      for (const name of readdirSync(DASHBOARDS)) {
        const { panels } = JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')) as Dashboard;
        const expressions = panels.flatMap(({ targets: queries }) => queries.map(({ expr }) => expr));
        await Promise.all(expressions.map((expr) => server.query(expr.replaceAll('$__rate_interval', '1m'))));
      }
    });
  });
});
