import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';
import type { paths } from '../generated/openapi.js';
import { METHODS } from '../generated/methods.js';
import { responseData } from './response-data.js';
import { createRestClient, type RestClient, type RestClientOptions } from './rest-client.js';

type Groups = typeof METHODS;
type Row = readonly ['get' | 'post', keyof paths];

type Operation<R extends Row> = R[1] extends infer Path extends keyof paths
  ? paths[Path][R[0] & keyof paths[Path]]
  : never;

/** The fields that a method takes: the JSON body, or the query of a read. `never` if the operation takes none. */
type Input<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : Query<O>;

type Query<O> = O extends { parameters: { query?: infer Fields } } ? Exclude<Fields, undefined> : never;

type ResponseBody<O> = O extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : void;

/** The result of a method: the response without its envelope, if the path has one. */
type Result<R extends Row> = R[1] extends `${(typeof SURFACE_PREFIXES)['wrapped' | 'cloud']}${string}`
  ? ResponseBody<Operation<R>> extends { data: infer Data }
    ? Data
    : never
  : ResponseBody<Operation<R>>;

export interface RequestOptions {
  /** Ends the request early; the method rejects with `NetworkError`, and the outcome of the request is unknown. */
  signal?: AbortSignal;
}

export interface IdempotentRequestOptions extends RequestOptions {
  /**
   * 1 to 128 visible ASCII characters. The service answers a repeated request with the same key and the same fields with
   * the first response for 24 hours, and does not act twice.
   */
  idempotencyKey?: string;
}

type Options<O> = O extends { parameters: { header?: { 'Idempotency-Key'?: string } } }
  ? IdempotentRequestOptions
  : RequestOptions;

type Arguments<O> = [Input<O>] extends [never]
  ? [input?: undefined, options?: Options<O>]
  : object extends Input<O>
    ? [input?: Input<O>, options?: Options<O>]
    : [input: Input<O>, options?: Options<O>];

type Method<R extends Row> = (...args: Arguments<Operation<R>>) => Promise<Result<R>>;

type Methods<Group extends Readonly<Record<string, Row>>> = { [Name in keyof Group]: Method<Group[Name]> };

/** One method per operation, in groups: `client.children.create({ name: 'Mia', … })`. */
export type FamilyWatchClient = { readonly [Group in keyof Groups]: Methods<Groups[Group]> } & {
  /** All operations by method and path, for requests that need more than a method offers. */
  readonly rest: RestClient;
};

/**
 * Creates a client of the REST operations. A method resolves with the response (without its envelope). It rejects with
 * `ApiError` if the service returns an error, and with `NetworkError` if no response arrived.
 */
export function createClient(options: RestClientOptions): FamilyWatchClient {
  const rest = createRestClient(options);
  const groups = Object.entries(METHODS).map(([group, rows]) => [
    group,
    Object.fromEntries(Object.entries<Row>(rows).map(([name, row]) => [name, methodOf(rest, row)])),
  ]);
  return Object.assign(Object.fromEntries(groups), { rest }) as FamilyWatchClient;
}

function methodOf(rest: RestClient, [method, path]: Row) {
  return async (input?: object, { signal, idempotencyKey }: IdempotentRequestOptions = {}): Promise<unknown> => {
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    // The types of `Method` have checked the input; openapi-fetch cannot type a path that is only known at run time.
    const request = rest.request as (method: string, path: string, init: object) => Promise<{ data?: unknown }>;
    const fields = method === 'get' ? { params: { query: input } } : { body: input };
    const body = await responseData(request(method, path, { ...fields, headers, signal }));
    return hasEnvelope(path) ? (body as { data: unknown }).data : body;
  };
}

function hasEnvelope(path: string): boolean {
  return path.startsWith(SURFACE_PREFIXES.wrapped) || path.startsWith(SURFACE_PREFIXES.cloud);
}
