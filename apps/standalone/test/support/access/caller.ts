import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { PATH_PREFIX, type ServiceResponse, type HttpClient } from '../http-client.js';
import type { Ids } from './ids.js';
import type { RequestFields } from './operation-row.js';

/** Returns the paths of an operation, one for each of its path prefixes. */
export function pathsOf({ path }: DeclaredRoute): string[] {
  return path.startsWith(PATH_PREFIX.plain)
    ? [path, PATH_PREFIX.wrapped + path.slice(PATH_PREFIX.plain.length)]
    : [path];
}

/** Calls an operation at one of its paths. */
export function callOperation(
  client: HttpClient,
  { method }: DeclaredRoute,
  routePath: string,
  fields: RequestFields,
): Promise<ServiceResponse> {
  const { path = {}, query = {}, body } = fields;
  const target = routePath.replace(/:(\w+)/g, (_, name: string) => path[name] ?? '');
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const payload = method === 'PUT' ? { body: 'bytes' } : body && toJsonPayload(body);
  return client.send(method, search.size > 0 ? `${target}?${search.toString()}` : target, payload);
}

/** Returns status, body and the headers that are the same for every request. Replaces each of `ids` by its name. */
export function fingerprint({ status, headers, text }: ServiceResponse, ids: Ids): string {
  const longestFirst = Object.entries(ids).toSorted(
    ([, first], [, second]) => String(second).length - String(first).length,
  );
  const body = longestFirst.reduce((masked, [name, value]) => masked.replaceAll(String(value), `<${name}>`), text);
  const comparedHeaders = [...headers].filter(([name]) => !VARIABLE_HEADERS.includes(name));
  return JSON.stringify([status, body, comparedHeaders]);
}

/** Headers that differ between identical requests. */
const VARIABLE_HEADERS: readonly string[] = ['x-request-id', 'date', 'x-ratelimit-remaining', 'content-length'];

function toJsonPayload(body: object): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
