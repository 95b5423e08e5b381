import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { INestApplication, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { declaredRoutes, routeHandlers, type RouteHandler } from '@family-watch/platform/http/routes';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const REDOCLY = join(import.meta.dirname, '../../../../node_modules/@redocly/cli/bin/cli.js');

interface DocumentedBody {
  example?: object;
  examples?: Record<string, { value: object }>;
}

/** Returns the class of the request body; undefined if the handler has none. */
function bodyTypeOf({ controller, name }: RouteHandler): Type<object> | undefined {
  const parameters = Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined) ?? {},
  );
  const body = parameters.find((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
  if (body === undefined) return undefined;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as Type<object>[];
  return types[Number(body.split(':')[1])];
}

interface DocumentedResponse {
  content?: Record<string, { examples?: Record<string, { value: { code: number; reason: string } }> }>;
}

describe('the OpenAPI document', () => {
  let app: INestApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    app = await buildOfflineApp();
    document = openApiDocument(app);
  });

  afterAll(() => app.close());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const).flatMap((method) =>
        item[method] ? [{ path, method, ...item[method] }] : [],
      ),
    );

  const examplesOf = (requestBody: unknown): object[] => {
    const content = (requestBody as { content?: Record<string, DocumentedBody> } | undefined)?.content;
    const { example = {}, examples = {} } = content?.['application/json'] ?? {};
    return [example, ...Object.values(examples).map(({ value }) => value)].filter(
      (each) => Object.keys(each).length > 0,
    );
  };

  test('is valid OpenAPI 3', async () => {
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  // The recommended rules also validate each example against its schema.
  test('has no findings of redocly lint', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fw-lint-'));
    try {
      const path = join(directory, 'openapi.json');
      writeFileSync(path, JSON.stringify(document));
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      const lint = promisify(execFile)(process.execPath, [REDOCLY, 'lint', path, '--format=json'], {
        env,
        cwd: directory,
      });
      // Findings of severity error set the exit code.
      const { stdout } = await lint.catch((error: unknown) => error as { stdout: string });
      const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test('shows an example of each request body, and describes each group of operations', () => {
    const described = new Set<string>((document.tags ?? []).map(({ name }) => name));
    const grouped = (document as { 'x-tagGroups'?: { tags: string[] }[] })['x-tagGroups']?.flatMap(({ tags }) => tags);
    expect(grouped?.toSorted()).toEqual([...described].sort());
    for (const { operationId, tags = [], requestBody } of operations()) {
      expect({ operationId, described: tags.every((tag) => described.has(tag)) }).toEqual({
        operationId,
        described: true,
      });
      if (requestBody && 'content' in requestBody && requestBody.content['application/json'])
        expect({ operationId, hasExample: examplesOf(requestBody).length > 0 }).toEqual({
          operationId,
          hasExample: true,
        });
    }
  });

  test('shows examples of request bodies that pass validation', () => {
    const types = new Map([...routeHandlers(app)].map((handler) => [handler.operation?.id, bodyTypeOf(handler)]));
    let count = 0;
    for (const { operationId, requestBody } of operations()) {
      const type = types.get(operationId);
      if (!type || type === Object) continue;
      count += 1;
      const findings = examplesOf(requestBody).flatMap((example) => {
        try {
          validateAs(type, example);
          return [];
        } catch (error) {
          return [(error as ServiceError).details];
        }
      });
      expect({ operationId, findings }).toEqual({ operationId, findings: [] });
    }
    expect(count).toBeGreaterThan(100);
  });

  test('contains exactly the routes of the application except the health probes', () => {
    const declared = declaredRoutes(app)
      .filter(({ path }) => !path.startsWith('/health/'))
      .map(({ id }) => id);
    expect(
      operations()
        .map(({ operationId }) => operationId ?? '')
        .sort(),
    ).toEqual(declared.sort());
  });

  test('lists the contact update with the path prefix of specification 4.3', () => {
    expect(document.paths['/hmd-wx/api/v2/userctx/user/device/contacts/update']?.post).toBeDefined();
  });

  test('lists each error of each operation with the code and status of the error catalogue', () => {
    for (const { responses, path } of operations()) {
      const errors = Object.entries(responses as Record<string, DocumentedResponse>).filter(
        ([status]) => status >= '400',
      );
      expect({ path, errors: errors.length }).not.toEqual({ path, errors: 0 });
      for (const [status, response] of errors) {
        for (const [reason, { value }] of Object.entries(response.content?.['application/json']?.examples ?? {})) {
          const { code } = ERROR_CATALOGUE[reason as keyof typeof ERROR_CATALOGUE];
          expect(value).toMatchObject({ code, reason });
          expect(String(httpStatusOf(code))).toBe(status);
        }
      }
    }
  });

  test('names the security scheme of each operation that requires a token (specification 5)', () => {
    const access = new Map(declaredRoutes(app).map((route) => [route.id, route.access]));
    for (const { operationId = '', security } of operations()) {
      expect({ operationId, open: access.get(operationId) === 'public' }).toEqual({
        operationId,
        open: security?.length === 0,
      });
    }
  });
});
