import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  checkDependencies,
  createWorkspace,
  ruleNames,
  writeSourceFile,
  type Violation,
} from '../support/generated-workspace.js';

const WATCHES_FOLDER = 'apps/userctx/src/watches';
const FAMILIES_FOLDER = 'apps/userctx/src/families';

/** Files of the generated workspace that other files import. */
const IMPORT_TARGETS = [
  'apps/console/src/app/router.ts',
  'apps/console/src/features/families/queries.ts',
  'apps/console/src/features/locations/queries.ts',
  'apps/console/src/watch/watch-page.ts',
  'apps/gateway/src/gateway.module.ts',
  'apps/simulator/src/fleet.ts',
  'packages/client/src/rest-client.ts',
  'packages/domain/src/accounts/contracts/account.ts',
  'packages/domain/src/accounts/entities/account.entities.ts',
  'packages/domain/src/family-cloud/entities/storage.entities.ts',
  'packages/domain/src/messages/entities/message.entity.ts',
  'packages/domain/src/accounts/dto/profile.dto.ts',
  'packages/domain/src/kernel/contracts/principal.ts',
  'packages/domain/src/operators/dto/event-bus.dto.ts',
  'packages/event-bus/src/outbox.ts',
  'packages/platform/src/config/environment.ts',
  'packages/platform/src/database/transaction.ts',
  'packages/testing/src/factories.ts',
  'apps/gateway/test/support/gateway-test-environment.ts',
  `${FAMILIES_FOLDER}/family.repository.ts`,
  `${FAMILIES_FOLDER}/family.access.ts`,
  `${FAMILIES_FOLDER}/family-roster.service.ts`,
  `${FAMILIES_FOLDER}/families.controller.ts`,
  `${FAMILIES_FOLDER}/families.event-handlers.ts`,
  `${FAMILIES_FOLDER}/family.sql.ts`,
  `${WATCHES_FOLDER}/watch.repository.ts`,
  `${WATCHES_FOLDER}/watch.ts`,
];

const FAMILIES_MODULE_SOURCE = `
import { Module } from '@nestjs/common';
import { FamilyRosterService } from './family-roster.service.js';
@Module({ exports: [FamilyRosterService] })
export class FamiliesModule {}`;

/** The rules about rooms, with the sources of their workspace and a folder that violates them by the import of wiring. */
const ROOM_RULES = ruleNames().flatMap((rule) => {
  const [, workspace, room] = /^(\w+\/\w+)\/(.+)-imports-lower-rooms-only$/.exec(rule) ?? [];
  if (workspace !== undefined && room !== undefined) return [{ rule, source: `${workspace}/src`, folder: room }];
  const [, unordered] = /^(.+)-folders-are-rooms$/.exec(rule) ?? [];
  return unordered === undefined ? [] : [{ rule, source: `${unordered}/src`, folder: 'new-folder' }];
});

/** Each entry names a rule, a file that violates the rule, and the forbidden import of this file. */
const FORBIDDEN_IMPORTS = [
  ['imports-resolve', 'packages/platform/src/lost.ts', './missing.js'],
  ['no-dev-dependencies-at-runtime', 'packages/platform/src/log.ts', 'pino-pretty'],
  ['no-test-code-in-sources', `${WATCHES_FOLDER}/seed.service.ts`, '@family-watch/testing/factories'],
  ['no-test-code-in-sources', 'apps/gateway/src/test-environment.ts', '../test/support/gateway-test-environment.js'],
  [
    'checker-imports-nothing-of-the-service',
    'apps/bench/src/checker/rules.ts',
    '@family-watch/domain/accounts/contracts/account',
  ],
  ['apps-do-not-import-apps', 'apps/mcdisk/src/neighbour.ts', '@family-watch/gateway/gateway.module'],
  ['standalone-imports-server-apps-only', 'apps/standalone/src/fleet.ts', '@family-watch/simulator/fleet'],
  ['packages-do-not-import-apps', 'packages/platform/src/upwards.ts', '@family-watch/gateway/gateway.module'],
  ['servers-import-server-packages-only', 'apps/mcdisk/src/client.ts', '@family-watch/client/rest-client'],
  ['browser-imports-contracts-only', 'packages/client/src/dto.ts', '@family-watch/domain/accounts/dto/profile.dto'],
  ['browser-imports-contracts-only', 'apps/console/src/environment.ts', '@family-watch/platform/config/environment'],
  ['browser-without-server-frameworks', 'apps/console/src/inject.ts', '@nestjs/common'],
  [
    'apps/console/features/families-imports-lower-rooms-only',
    'apps/console/src/features/families/a.ts',
    '../locations/queries.js',
  ],
  [
    'simulator-imports-contracts-and-client-only',
    'apps/simulator/src/environment.ts',
    '@family-watch/platform/config/environment',
  ],
  [
    'userctx-imports-own-entities-only',
    'apps/userctx/src/b.ts',
    '@family-watch/domain/family-cloud/entities/storage.entities',
  ],
  [
    'mcdisk-imports-own-entities-only',
    'apps/mcdisk/src/a.ts',
    '@family-watch/domain/accounts/entities/account.entities',
  ],
  [
    'gateway-imports-own-entities-only',
    'apps/gateway/src/a.ts',
    '@family-watch/domain/accounts/entities/account.entities',
  ],
  [
    'entities-in-owning-apps-only',
    'packages/client/src/a.ts',
    '@family-watch/domain/accounts/entities/account.entities',
  ],
  [
    'domain-imports-no-other-package',
    'packages/domain/src/accounts/dto/e.dto.ts',
    '@family-watch/platform/config/environment',
  ],
  ['kernel-imports-kernel-only', 'packages/domain/src/kernel/contracts/k.ts', '../../accounts/contracts/account.js'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/a.ts', 'class-validator'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/b.ts', 'node:crypto'],
  // The files of `@turf/distance` are in a directory `dist`, like the compiled files of a workspace.
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/d.ts', '@turf/distance'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/c.ts', '../dto/profile.dto.js'],
  ['entities-import-typeorm-and-contracts-only', 'packages/domain/src/accounts/entities/s.entity.ts', '@nestjs/common'],
  ['dtos-do-not-import-entities', 'packages/domain/src/accounts/dto/a.dto.ts', '../entities/account.entities.js'],
  [
    'platform-and-bus-import-kernel-and-contracts-only',
    'packages/platform/src/p.ts',
    '@family-watch/domain/accounts/dto/profile.dto',
  ],
  ['event-bus-does-not-import-platform', 'packages/event-bus/src/env.ts', '@family-watch/platform/config/environment'],
  ['typeorm-in-persistence-code-only', `${WATCHES_FOLDER}/watches.service.ts`, 'typeorm'],
  ['database-drivers-in-platform-only', `${WATCHES_FOLDER}/pool.repository.ts`, 'pg'],
  ['controllers-do-not-import-repositories', `${WATCHES_FOLDER}/watches.controller.ts`, './watch.repository.js'],
  ['rooms-import-exported-services-only', `${WATCHES_FOLDER}/shortcut.service.ts`, '../families/family.repository.js'],
  ['rooms-import-exported-services-only', `${WATCHES_FOLDER}/bypass.service.ts`, '../families/families.controller.js'],
  [
    'rooms-import-exported-services-only',
    `${WATCHES_FOLDER}/reaction.service.ts`,
    '../families/families.event-handlers.js',
  ],
  ['rooms-import-exported-services-only', `${WATCHES_FOLDER}/statement.service.ts`, '../families/family.sql.js'],
  ['apps/userctx/families-imports-lower-rooms-only', `${FAMILIES_FOLDER}/up.service.ts`, '../watches/watch.js'],
  [
    'packages/platform/concurrency-imports-lower-rooms-only',
    'packages/platform/src/concurrency/rows.ts',
    '../database/transaction.js',
  ],
  ['infrastructure-does-not-import-rooms', 'apps/userctx/src/infrastructure/up.ts', '../families/family.access.js'],
] as const;

/** Pairs of a file and an import of this file that every rule must allow. */
const ALLOWED_IMPORTS = [
  ['apps/standalone/src/start-standalone.ts', '@family-watch/gateway/gateway.module'],
  ['apps/userctx/src/accounts/account.repository.ts', 'typeorm'],
  ['apps/userctx/src/accounts/account.service.ts', '@family-watch/domain/accounts/entities/account.entities'],
  [`${WATCHES_FOLDER}/neighbour.service.ts`, '../families/family-roster.service.js'],
  [`${WATCHES_FOLDER}/rule.service.ts`, '../families/family.access.js'],
  ['apps/console/src/main.tsx', './app/router.js'],
  ['apps/console/src/app/shell.ts', '../watch/watch-page.js'],
  ['apps/console/src/features/notices/sos/b.ts', '../../families/queries.js'],
  ['apps/gateway/test/e2e/chat.spec.ts', '@family-watch/testing/factories'],
  ['packages/client/src/tokens.ts', '@family-watch/domain/accounts/contracts/account'],
  ['packages/platform/src/auth.ts', '@family-watch/domain/kernel/contracts/principal'],
  ['packages/platform/src/status.ts', '@family-watch/domain/operators/dto/event-bus.dto'],
  ['packages/platform/src/database/pool.ts', 'pg'],
] as const;

describe('import rules', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'fwtest-imports-'));
  let violations: Violation[];

  beforeAll(async () => {
    createWorkspace(workspace, ['typeorm', 'pg', 'pino-pretty', 'class-validator', '@nestjs/common']);
    for (const target of IMPORT_TARGETS) writeSourceFile(workspace, target, 'export {};');
    writeSourceFile(workspace, `${FAMILIES_FOLDER}/families.module.ts`, FAMILIES_MODULE_SOURCE);
    for (const [, from, to] of FORBIDDEN_IMPORTS) writeSourceFile(workspace, from, `import '${to}';`);
    for (const [from, to] of ALLOWED_IMPORTS) writeSourceFile(workspace, from, `import '${to}';`);
    for (const { source, folder } of ROOM_RULES) {
      writeSourceFile(workspace, `${source}/wiring.ts`, 'export {};');
      const depth = folder.split('/').length;
      writeSourceFile(workspace, `${source}/${folder}/wired.ts`, `import '${'../'.repeat(depth)}wiring.js';`);
    }
    for (const directory of ['src', 'test']) {
      writeSourceFile(workspace, `packages/platform/${directory}/hen.ts`, `import './egg.js';`);
      writeSourceFile(workspace, `packages/platform/${directory}/egg.ts`, `import './hen.js';`);
    }
    violations = await checkDependencies(workspace);
  });

  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  test.each(FORBIDDEN_IMPORTS.map(([rule, from, to]) => ({ rule, from, to })))(
    'rule $rule rejects the import $from → $to',
    ({ rule, from }) => {
      expect(violations).toContainEqual(expect.objectContaining({ rule, from }));
    },
  );

  test.each(ROOM_RULES)('rule $rule rejects the import of a file that wires the rooms', ({ rule, source, folder }) => {
    expect(violations).toContainEqual(expect.objectContaining({ rule, from: `${source}/${folder}/wired.ts` }));
  });

  test.each([
    ['no-cycles', 'packages/platform/src/'],
    ['no-cycles-in-tests', 'packages/platform/test/'],
  ])('rule %s rejects the import cycle hen → egg → hen in %s', (rule, path) => {
    // The checker reports a cycle once, from either file of the cycle.
    const from = expect.stringMatching(`^${path}(hen|egg)\\.ts$`);
    expect(violations).toContainEqual(expect.objectContaining({ rule, from }));
  });

  test.each(ALLOWED_IMPORTS.map(([from, to]) => ({ from, to })))('allow the import $from → $to', ({ from }) => {
    expect(violations.filter((violation) => violation.from === from)).toEqual([]);
  });

  test('are each violated by at least one import of this suite', () => {
    const rules = [...FORBIDDEN_IMPORTS.map(([rule]) => rule), ...ROOM_RULES.map(({ rule }) => rule)];
    const covered = new Set<string>([...rules, 'no-cycles', 'no-cycles-in-tests']);
    expect(ruleNames().filter((rule) => !covered.has(rule))).toEqual([]);
  });
});
