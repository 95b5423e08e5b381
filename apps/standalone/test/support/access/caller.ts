import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { PREFIX } from '../http-client.js';
import type { Answer, HttpClient } from '../http-client.js';
import type { Ids } from './ids.js';
import type { RequestFields } from './operation-row.js';

/** The address of an operation on each surface that has it. */
export function addressesOf({ path }: DeclaredRoute): string[] {
  return path.startsWith(PREFIX.plain) ? [path, PREFIX.wrapped + path.slice(PREFIX.plain.length)] : [path];
}

/** Calls one operation at one of its addresses. */
export function call(
  client: HttpClient,
  { method }: DeclaredRoute,
  address: string,
  fields: RequestFields,
): Promise<Answer> {
  const { path = {}, query = {}, body } = fields;
  const target = address.replace(/:(\w+)/g, (_, name: string) => path[name] ?? '');
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const sent = method === 'PUT' ? { body: 'bytes' } : body && jsonOf(body);
  return client.send(method, search.size > 0 ? `${target}?${search.toString()}` : target, sent);
}

/** Status, body and what the headers say beyond this one request; each id that was named stands as its name. */
export function fingerprint({ status, headers, text }: Answer, ids: Ids): string {
  const names = Object.entries(ids).toSorted(([, one], [, other]) => String(other).length - String(one).length);
  const body = names.reduce((said, [name, value]) => said.replaceAll(String(value), `<${name}>`), text);
  const kept = [...headers].filter(([name]) => !OF_THE_REQUEST.includes(name));
  return JSON.stringify([status, body, kept]);
}

/** Differ between two requests that are the same. */
const OF_THE_REQUEST: readonly string[] = ['x-request-id', 'date', 'x-ratelimit-remaining', 'content-length'];

function jsonOf(body: object): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
