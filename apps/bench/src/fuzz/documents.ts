import type { Schema, Schemas } from '@family-watch/testing/documents/schema';
import { repeatIfDisconnected } from './target.js';

interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema?: Schema;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  /** Permitted callers: `user`, `watch`, an operator, or nobody in particular. */
  callers: readonly CallerKind[];
  parameters: readonly Parameter[];
  /** Schema of the JSON body; absent for an operation without one. */
  body?: Schema;
  /** Media type of a body that is not JSON. */
  mediaType?: string;
}

/** An event of the AsyncAPI document that clients send. */
export interface ClientEvent {
  name: string;
  payload: Schema;
}

export type CallerKind = 'user' | 'watch' | 'operator' | 'anonymous';

interface OpenApiOperation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  'x-family-watch': { access: unknown };
}

interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Schemas };
}

interface AsyncApiDocument {
  operations: Record<string, { action: string; channel: { $ref: string } }>;
  components: { messages: Record<string, { payload?: Schema }>; schemas: Schemas };
}

/** What the served documents say about requests and events. */
export interface Documents {
  operations: readonly Operation[];
  requestSchemas: Schemas;
  events: readonly ClientEvent[];
  eventSchemas: Schemas;
}

/** Reads the documents that the service serves. */
export async function readDocuments(url: string): Promise<Documents> {
  const read = async (name: string) => (await repeatIfDisconnected(() => fetch(`${url}/docs/${name}`))).json();
  const openApi = (await read('openapi.json')) as OpenApiDocument;
  const asyncApi = (await read('asyncapi.json')) as AsyncApiDocument;
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)),
  );
  const events = Object.values(asyncApi.operations).flatMap(({ action, channel }) => {
    const name = channel.$ref.slice(channel.$ref.lastIndexOf('/') + 1);
    return action === 'receive' ? [{ name, payload: asyncApi.components.messages[name]?.payload ?? {} }] : [];
  });
  return { operations, requestSchemas: openApi.components.schemas, events, eventSchemas: asyncApi.components.schemas };
}

function toOperation(path: string, method: string, operation: OpenApiOperation): Operation {
  const [[mediaType, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const isJson = mediaType === 'application/json';
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    callers: callersOf(operation['x-family-watch'].access),
    parameters: operation.parameters ?? [],
    ...(isJson && content?.schema ? { body: content.schema } : {}),
    ...(mediaType !== undefined && !isJson ? { mediaType } : {}),
  };
}

function callersOf(access: unknown): CallerKind[] {
  if (!Array.isArray(access)) return [access === 'public' ? 'anonymous' : 'operator'];
  return access.map((kind) => (kind === 'watch' ? 'watch' : 'user'));
}
