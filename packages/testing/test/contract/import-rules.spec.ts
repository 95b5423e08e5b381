import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cruise, layOut, plant, ruleNames } from '../support/planted-tree.js';
import type { Violation } from '../support/planted-tree.js';

const CHILDREN = 'apps/userctx/src/contexts/children';
const FAMILIES = 'apps/userctx/src/contexts/families';

/** What may be imported: the innocent parts of the planted tree. */
const TARGETS = [
  'apps/gateway/src/gateway.module.ts',
  'apps/simulator/src/fleet.ts',
  'packages/client/src/rest-client.ts',
  'packages/domain/src/accounts/contracts/phone.ts',
  'packages/domain/src/accounts/entities/account.entity.ts',
  'packages/domain/src/family-cloud/entities/blob.entity.ts',
  'packages/domain/src/messages/entities/message.entity.ts',
  'packages/domain/src/accounts/dto/profile.dto.ts',
  'packages/domain/src/kernel/contracts/principal.ts',
  'packages/event-bus/src/outbox.ts',
  'packages/platform/src/config/environment.ts',
  'packages/testing/src/factories.ts',
  'apps/gateway/test/support/gateway-test-environment.ts',
  `${FAMILIES}/family.repository.ts`,
  `${FAMILIES}/family.access.ts`,
  `${FAMILIES}/family-roster.service.ts`,
  `${FAMILIES}/families.controller.ts`,
  `${CHILDREN}/child.repository.ts`,
];

const FAMILIES_MODULE = `
import { Module } from '@nestjs/common';
import { FamilyRosterService } from './family-roster.service.js';
@Module({ exports: [FamilyRosterService] })
export class FamiliesModule {}`;

/** Rule, file that breaks it, what it imports. */
const FORBIDDEN = [
  ['resolvable', 'packages/platform/src/lost.ts', './missing.js'],
  ['no-development-packages-at-run-time', 'packages/platform/src/log.ts', 'pino-pretty'],
  ['tests-stay-tests', `${CHILDREN}/seed.service.ts`, '@family-watch/testing/factories'],
  ['tests-stay-tests', 'apps/gateway/src/test-environment.ts', '../test/support/gateway-test-environment.js'],
  ['apps-stand-alone', 'apps/mcdisk/src/neighbour.ts', '@family-watch/gateway/gateway.module'],
  ['standalone-composes-servers', 'apps/standalone/src/fleet.ts', '@family-watch/simulator/fleet'],
  ['packages-below-apps', 'packages/platform/src/upwards.ts', '@family-watch/gateway/gateway.module'],
  ['servers-use-server-packages', 'apps/mcdisk/src/client.ts', '@family-watch/client/rest-client'],
  ['browser-knows-contracts', 'packages/client/src/dto.ts', '@family-watch/domain/accounts/dto/profile.dto'],
  ['browser-knows-contracts', 'apps/console/src/environment.ts', '@family-watch/platform/config/environment'],
  ['browser-without-server-frameworks', 'apps/console/src/inject.ts', '@nestjs/common'],
  ['simulator-is-a-client', 'apps/simulator/src/environment.ts', '@family-watch/platform/config/environment'],
  ['userctx-owns-its-entities', 'apps/userctx/src/b.ts', '@family-watch/domain/family-cloud/entities/blob.entity'],
  ['mcdisk-owns-its-entities', 'apps/mcdisk/src/a.ts', '@family-watch/domain/accounts/entities/account.entity'],
  ['gateway-owns-its-entities', 'apps/gateway/src/a.ts', '@family-watch/domain/accounts/entities/account.entity'],
  ['only-owners-know-entities', 'packages/client/src/a.ts', '@family-watch/domain/accounts/entities/account.entity'],
  ['domain-is-the-ground', 'packages/domain/src/accounts/dto/e.dto.ts', '@family-watch/platform/config/environment'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/a.ts', 'class-validator'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/b.ts', 'node:crypto'],
  ['contracts-without-framework', 'packages/domain/src/accounts/contracts/c.ts', '../dto/profile.dto.js'],
  ['entities-are-tables', 'packages/domain/src/accounts/entities/s.entity.ts', '@nestjs/common'],
  ['dtos-know-no-tables', 'packages/domain/src/accounts/dto/a.dto.ts', '../entities/account.entity.js'],
  ['platform-and-bus-know-the-kernel', 'packages/platform/src/p.ts', '@family-watch/domain/accounts/dto/profile.dto'],
  ['bus-without-platform', 'packages/event-bus/src/env.ts', '@family-watch/platform/config/environment'],
  ['typeorm-where-sql-lives', `${CHILDREN}/children.service.ts`, 'typeorm'],
  ['no-drivers-beside-the-platform', `${CHILDREN}/pool.repository.ts`, 'pg'],
  ['controllers-ask-services', `${CHILDREN}/children.controller.ts`, './child.repository.js'],
  ['contexts-keep-their-own', `${CHILDREN}/shortcut.service.ts`, '../families/family.repository.js'],
  ['contexts-keep-their-own', `${CHILDREN}/bypass.service.ts`, '../families/families.controller.js'],
  ['infrastructure-below-contexts', 'apps/userctx/src/infrastructure/up.ts', '../contexts/families/family.access.js'],
] as const;

/** What the rules have to leave alone, or they would say nothing. */
const ALLOWED = [
  ['apps/standalone/src/standalone.module.ts', '@family-watch/gateway/gateway.module'],
  ['apps/userctx/src/contexts/accounts/account.repository.ts', 'typeorm'],
  ['apps/userctx/src/contexts/accounts/account.service.ts', '@family-watch/domain/accounts/entities/account.entity'],
  [`${CHILDREN}/neighbour.service.ts`, '../families/family-roster.service.js'],
  [`${CHILDREN}/rule.service.ts`, '../families/family.access.js'],
  ['apps/gateway/test/e2e/chat.spec.ts', '@family-watch/testing/factories'],
  ['packages/client/src/tokens.ts', '@family-watch/domain/accounts/contracts/phone'],
  ['packages/platform/src/auth.ts', '@family-watch/domain/kernel/contracts/principal'],
  ['packages/platform/src/database/pool.ts', 'pg'],
] as const;

describe('rules of imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fwtest-imports-'));
  let found: Violation[];

  beforeAll(async () => {
    layOut(folder, ['typeorm', 'pg', 'pino-pretty', 'class-validator', '@nestjs/common']);
    for (const target of TARGETS) plant(folder, target, 'export {};');
    plant(folder, `${FAMILIES}/families.module.ts`, FAMILIES_MODULE);
    for (const [, from, to] of FORBIDDEN) plant(folder, from, `import '${to}';`);
    for (const [from, to] of ALLOWED) plant(folder, from, `import '${to}';`);
    for (const place of ['src', 'test']) {
      plant(folder, `packages/platform/${place}/hen.ts`, `import './egg.js';`);
      plant(folder, `packages/platform/${place}/egg.ts`, `import './hen.js';`);
    }
    found = await cruise(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(FORBIDDEN.map(([rule, from, to]) => ({ rule, from, to })))('$rule: not $from → $to', ({ rule, from }) => {
    expect(found).toContainEqual(expect.objectContaining({ rule, from }));
  });

  it.each([
    ['no-cycles', 'packages/platform/src/'],
    ['no-cycles-in-tests', 'packages/platform/test/'],
  ])('%s: not hen → egg → hen in %s', (rule, place) => {
    // A cycle is reported once, from either end.
    const from = expect.stringMatching(`^${place}(hen|egg)\\.ts$`);
    expect(found).toContainEqual(expect.objectContaining({ rule, from }));
  });

  it.each(ALLOWED.map(([from, to]) => ({ from, to })))('$from may import $to', ({ from }) => {
    expect(found.filter((violation) => violation.from === from)).toEqual([]);
  });

  it('no rule is without a planted violation', () => {
    const planted = new Set<string>([...FORBIDDEN.map(([rule]) => rule), 'no-cycles', 'no-cycles-in-tests']);
    expect(ruleNames().filter((rule) => !planted.has(rule))).toEqual([]);
  });
});
