import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { declaredRoutes } from '@family-watch/platform/http/routes';
import { openApiDocument } from '@family-watch/platform/openapi/open-api-document';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const REDOCLY = join(import.meta.dirname, '../../../../node_modules/@redocly/cli/bin/cli.js');

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

  it('is valid OpenAPI 3', async () => {
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  // The recommended rules also validate each example against its schema.
  it('has no findings of redocly lint', async () => {
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

  it('shows an example of each request body, and describes each group of operations', () => {
    const described = new Set<string>((document.tags ?? []).map(({ name }) => name));
    const grouped = (document as { 'x-tagGroups'?: { tags: string[] }[] })['x-tagGroups']?.flatMap(({ tags }) => tags);
    expect(grouped?.toSorted()).toEqual([...described].sort());
    for (const { operationId, tags = [], requestBody } of operations()) {
      expect({ operationId, described: tags.every((tag) => described.has(tag)) }).toEqual({
        operationId,
        described: true,
      });
      const content = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
      if (!content) continue;
      const example = Object.keys((content.example as object | undefined) ?? {});
      expect({ operationId, hasExample: example.length > 0 }).toEqual({ operationId, hasExample: true });
    }
  });

  it('contains exactly the routes of the application except the health probes', () => {
    const declared = declaredRoutes(app)
      .filter(({ path }) => !path.startsWith('/health/'))
      .map(({ id }) => id);
    expect(
      operations()
        .map(({ operationId }) => operationId ?? '')
        .sort(),
    ).toEqual(declared.sort());
  });

  it('lists the contact update with the path prefix of specification 4.3', () => {
    expect(document.paths['/hmd-wx/api/v2/userctx/user/device/contacts/update']?.post).toBeDefined();
  });

  it('lists each error of each operation with the code and status of the error catalogue', () => {
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

  it('names the security scheme of each operation that requires a token (specification 5)', () => {
    const access = new Map(declaredRoutes(app).map((route) => [route.id, route.access]));
    for (const { operationId = '', security } of operations()) {
      expect({ operationId, open: access.get(operationId) === 'public' }).toEqual({
        operationId,
        open: security?.length === 0,
      });
    }
  });
});
