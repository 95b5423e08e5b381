import { Agent, request, type IncomingMessage } from 'node:http';
import type { CallerKind, Operation } from './documents.js';

import { DESTRUCTIVE, type Caller, type FuzzCallers, type ValidRequest } from './callers.js';
import { shorten, showsInternals, type Finding } from './finding.js';
import {
  encodeJson,
  HOSTILE_HEADERS,
  HOSTILE_TEXTS,
  HOSTILE_URL_PARTS,
  METHODS,
  mutateText,
  mutateValue,
} from './mutations.js';
import type { RandomChoice } from './random-choice.js';

const RESPONSE_TIMEOUT_MS = 10_000;
/** Bytes of a response that are searched; the rest is read and dropped. */
const SEARCHED_BYTES = 65_536;
/** Most iterations do not use destructive operations, so that the families keep their resources. */
const DESTRUCTIVE_PROBABILITY = 0.15;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** What the service responded: a status, or why there is none. */
export type Outcome = number | 'closed' | 'unsendable' | 'timeout';

/** Result of an iteration. */
export interface RequestResult {
  operation: string;
  outcome: Outcome;
  /** Whether the caller was rejected, so that the callers may need to be created again. */
  isUnauthorized: boolean;
  finding?: Finding;
}

/** Sends one mutated request of a random operation. */
export async function runRequest(
  callers: FuzzCallers,
  random: RandomChoice,
  requestId: string,
): Promise<RequestResult> {
  const operation = chooseOperation(callers.documents.operations, random);
  const kind = random.chance(0.92)
    ? random.pick(operation.callers)
    : random.pick<CallerKind>(['user', 'watch', 'anonymous']);
  const caller = await callers.choose(kind, random);
  const sent = createRequest(operation, callers.validRequest(operation, caller, random), caller, random, requestId);
  const address = `127.${random.integer(1, 254)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
  const { outcome, text, headers } = await send(callers.target.url, sent, address);
  const result: RequestResult = {
    operation: operation.id,
    outcome,
    isUnauthorized:
      outcome === 401 && kind !== 'anonymous' && sent.headers['authorization'] === `Bearer ${caller.token}`,
  };
  const what = problemOf(outcome, text, headers);
  if (what === undefined) return result;
  const { authorization, ...shown } = sent.headers;
  const input = `${sent.method} ${sent.path}\n${JSON.stringify({ ...shown, authorization: authorization && kind })}\n${sent.body?.toString() ?? ''}`;
  return { ...result, finding: { what: `${operation.id}: ${what}`, input: shorten(input), output: shorten(text) } };
}

function chooseOperation(operations: readonly Operation[], random: RandomChoice): Operation {
  for (;;) {
    const operation = random.pick(operations);
    if (!DESTRUCTIVE.test(operation.id) || random.chance(DESTRUCTIVE_PROBABILITY)) return operation;
  }
}

function createRequest(
  operation: Operation,
  valid: ValidRequest,
  { token }: Caller,
  random: RandomChoice,
  requestId: string,
): HttpRequest {
  let { path, body } = valid;
  let { method } = operation;
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (operation.mediaType !== undefined) headers['content-type'] = operation.mediaType;
  if (random.chance(0.15)) headers['idempotency-key'] = `fuzz-${random.integer(1, 50)}`;

  const targets = ['url', 'header', 'method', ...(body === undefined ? [] : ['body', 'body', 'body', 'body', 'text'])];
  if (valid.query.size > 0) targets.push('query', 'query', 'query');
  const mutations = random.chance(0.15) ? 2 : 1;
  let text: Buffer | undefined;
  for (let count = 0; count < mutations; count += 1) {
    const target = random.pick(targets);
    if (target === 'body') body = mutateValue(body, random);
    else if (target === 'text') text = mutateText(encodeJson(body), random);
    else if (target === 'header') Object.assign(headers, random.pick(HOSTILE_HEADERS));
    else if (target === 'method') method = random.pick(METHODS);
    else if (target === 'query') path = mutateQuery(path, valid.query, random);
    else path = mutatePath(path, random);
  }
  if (operation.mediaType !== undefined) text = Buffer.from(random.bytes(random.integer(0, 2_000)), 'latin1');
  return { method, path, headers, body: text ?? (body === undefined ? undefined : Buffer.from(encodeJson(body))) };
}

function mutateQuery(path: string, query: URLSearchParams, random: RandomChoice): string {
  const copy = new URLSearchParams(query);
  const name = random.pick([...copy.keys()]);
  if (random.chance(0.15)) copy.append(name, random.pick(HOSTILE_TEXTS));
  else if (random.chance(0.1)) copy.delete(name);
  else copy.set(name, random.pick(HOSTILE_TEXTS).slice(0, 2_000));
  return `${path.split('?')[0] ?? ''}?${copy.toString()}`;
}

function mutatePath(path: string, random: RandomChoice): string {
  const part = random.pick(HOSTILE_URL_PARTS);
  const end = random.chance(0.4) ? `${path}${path.includes('?') ? '&' : '?'}${part}` : undefined;
  if (end !== undefined) return end;
  const segments = path.split('/');
  const place = random.integer(1, segments.length);
  segments.splice(
    place,
    random.integer(0, 1),
    random.chance(0.5) ? part : encodeURIComponent(random.pick(HOSTILE_TEXTS).toWellFormed().slice(0, 300)),
  );
  return segments.join('/');
}

function problemOf(outcome: Outcome, text: string, headers: IncomingMessage['headers']): string | undefined {
  if (outcome === 'timeout') return `no response within ${RESPONSE_TIMEOUT_MS / 1_000} s`;
  if (typeof outcome !== 'number') return undefined;
  if (outcome >= 500 && !(outcome === 503 && headers['retry-after'] !== undefined)) return `status ${outcome}`;
  return showsInternals(text) ? 'the response shows internals of the service' : undefined;
}

/** Sends a request and reads its response. A connection that the service closes without a response is no problem. */
async function send(
  url: string,
  { method, path, headers, body }: HttpRequest,
  localAddress: string,
): Promise<{ outcome: Outcome; text: string; headers: IncomingMessage['headers'] }> {
  return new Promise((resolve) => {
    const settle = (outcome: Outcome, text = '', received: IncomingMessage['headers'] = {}) => {
      clearTimeout(timer);
      resolve({ outcome, text, headers: received });
    };
    const timer = setTimeout(() => {
      settle('timeout');
      outgoing?.destroy();
    }, RESPONSE_TIMEOUT_MS);
    let outgoing: ReturnType<typeof request> | undefined;
    try {
      const { hostname, port } = new URL(url);
      const length =
        body === undefined || ['GET', 'HEAD'].includes(method) ? {} : { 'content-length': String(body.length) };
      outgoing = request({ hostname, port, method, path, headers: { ...headers, ...length }, agent, localAddress });
    } catch {
      // Node refuses to send some paths and headers.
      settle('unsendable');
      return;
    }
    outgoing.on('error', () => settle('closed'));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        if (length < SEARCHED_BYTES) chunks.push(chunk);
        length += chunk.length;
      });
      response.on('end', () => settle(response.statusCode ?? 0, Buffer.concat(chunks).toString(), response.headers));
      response.on('error', () => settle('closed'));
    });
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      settle('closed');
    });
    outgoing.end(body);
  });
}
