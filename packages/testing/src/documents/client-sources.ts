import openapiTS, { astToString, COMMENT_HEADER, type OpenAPI3, type OperationObject } from 'openapi-typescript';
import { methodNameOf } from './client-method-names.js';

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
 * @throws if the tag of an operation belongs to no group of methods
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
  const rowsByGroup = new Map<string, string[]>();
  for (const listed of operations) {
    const [tag = ''] = listed.operation.tags ?? [];
    const { access } = listed.operation['x-family-watch'] as { access: string | string[] };
    const method = methodNameOf({ id: listed.id, tag, access });
    if (!method) continue;
    const rows = rowsByGroup.get(method.group) ?? [];
    rowsByGroup.set(method.group, [...rows, methodRow(method.name, listed)]);
  }
  const groups = [...rowsByGroup].map(([group, rows]) => `  ${group}: {\n${rows.join('')}  },\n`);
  return `${COMMENT_HEADER}\n/** HTTP method and path of each method of the SDK. */\nexport const METHODS = {\n${groups.join('')}} as const;\n`;
}

function methodRow(name: string, { method, path, operation }: ListedOperation): string {
  const text = [operation.summary, operation.description].filter((part) => part !== undefined).join('. ');
  return `    /** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n    ${name}: ['${method}', '${path}'],\n`;
}
