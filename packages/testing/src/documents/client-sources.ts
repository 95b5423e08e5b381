import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import type { OpenAPI3, OperationObject } from 'openapi-typescript';
import { METHOD_NAMES, OPERATIONS_WITHOUT_METHOD } from './client-method-names.js';

/** An operation of the OpenAPI document with its place. */
interface ListedOperation {
  id: string;
  method: string;
  path: string;
  operation: OperationObject;
}

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;

/**
 * Returns the generated files of the SDK, by name: the types of the OpenAPI document, and the table of methods.
 *
 * @throws if an operation has neither a method name nor a reason to have none
 */
export async function clientSources(document: OpenAPI3): Promise<Map<string, string>> {
  const operations = operationsOf(document);
  return new Map([
    ['openapi.d.ts', `${COMMENT_HEADER}${astToString(await openapiTS(withoutUnusedParts(document)))}`],
    ['methods.ts', methodTable(operations)],
  ]);
}

function operationsOf(document: OpenAPI3): ListedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    HTTP_METHODS.flatMap((method) => {
      const operation = 'get' in item || !('$ref' in item) ? item[method] : undefined;
      if (!operation || '$ref' in operation) return [];
      return [{ id: operation.operationId ?? '', method, path, operation }];
    }),
  );
}

/**
 * The SDK throws every error as `ApiError`, so the types of error responses would only double the size of the file. The
 * fields have examples of their own.
 */
function withoutUnusedParts(document: OpenAPI3): OpenAPI3 {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    const responses = Object.entries(operation.responses ?? {}).filter(([status]) => status < '400');
    operation.responses = Object.fromEntries(responses);
    const body = operation.requestBody;
    const content = body && 'content' in body ? body.content['application/json'] : undefined;
    if (content && 'example' in content) delete content.example;
  }
  return copy;
}

function methodTable(operations: readonly ListedOperation[]): string {
  const unnamed = new Map(operations.map((operation) => [operation.id, operation]));
  const take = (id: string): ListedOperation => {
    const operation = unnamed.get(id);
    if (!operation) throw new Error(`client-method-names.ts names the operation ${id} twice, or it does not exist`);
    unnamed.delete(id);
    return operation;
  };
  OPERATIONS_WITHOUT_METHOD.forEach(take);
  const groups = Object.entries(METHOD_NAMES).map(([group, methods]) => {
    const rows = Object.entries(methods).map(([name, id]) => methodRow(name, take(id)));
    return `  ${group}: {\n${rows.join('')}  },\n`;
  });
  if (unnamed.size > 0) throw new Error(`client-method-names.ts does not name ${[...unnamed.keys()].join(', ')}`);
  return `${COMMENT_HEADER}\n/** HTTP method and path of each method of the SDK. */\nexport const METHODS = {\n${groups.join('')}} as const;\n`;
}

function methodRow(name: string, { method, path, operation }: ListedOperation): string {
  const text = [operation.summary, operation.description].filter((part) => part !== undefined).join('. ');
  return `    /** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n    ${name}: ['${method}', '${path}'],\n`;
}
