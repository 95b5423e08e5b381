import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * `npm run check -- licences`: writes the software bill of materials (CycloneDX) of all packages in package-lock.json to
 * .data/sbom.cdx.json, and fails if a package has a licence that is not permitted here. Works offline, in two seconds.
 * docs/decisions/02-build-and-checks.md gives the reasons.
 */

const ROOT = join(import.meta.dirname, '..');
const SBOM_FILE = join(ROOT, '.data/sbom.cdx.json');

/** Licences that permit use in a proprietary service without conditions on its source. SPDX identifiers. */
const PERMITTED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/**
 * Licences with conditions, and the packages whose use meets them: each is an unchanged package of its own that can be
 * replaced, and is not part of a file of this repository.
 */
const PERMITTED_FOR = {
  'LGPL-3.0-or-later': /^@img\/sharp-/,
  'LGPL-3.0': /^libheif-js$/,
  'MPL-2.0': /^(axe-core|exifreader|lightningcss(-.+)?|web-push)$/,
  'CC-BY-4.0': /^caniuse-lite$/,
};

/** Licences of packages that state theirs in no form that npm reads, from the files of the packages. */
const STATED_ELSEWHERE = {
  '@darabonba/typescript': 'Apache-2.0',
  'combine-errors': 'MIT',
  limiter: 'MIT',
  'pause-stream': 'MIT',
  'xmlhttprequest-ssl': 'MIT',
};

const sbom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);
// npm takes the name of the folder.
sbom.metadata.component.name = 'family-watch';

const isOwn = ({ purl }) => purl.startsWith('pkg:npm/%40family-watch/');
const packages = sbom.components.filter((component) => !isOwn(component));
const problems = packages.flatMap((component) => {
  const { name, version, hashes = [] } = component;
  const licence = licenceOf(component);
  return [
    ...(isPermitted(licence, name) ? [] : [`${name} ${version}: the licence ${licence} is not permitted`]),
    ...(hashes.length > 0 ? [] : [`${name} ${version}: package-lock.json has no hash`]),
  ];
});
for (const name of Object.keys(STATED_ELSEWHERE)) {
  const found = packages.filter((component) => component.name === name);
  if (found.length === 0) problems.push(`${name} is not installed: remove it from STATED_ELSEWHERE`);
}

mkdirSync(join(ROOT, '.data'), { recursive: true });
writeFileSync(SBOM_FILE, JSON.stringify(sbom, undefined, 2));
for (const problem of problems) console.error(problem);
if (packages.length < 100) problems.push('The bill of materials is incomplete');
console.log(`${packages.length} packages, ${problems.length} problems; bill of materials in ${SBOM_FILE}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns the licence as an SPDX expression; `unknown` if the package states none. */
function licenceOf({ name, licenses = [] }) {
  const stated = licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name).join(' AND ');
  return stated || STATED_ELSEWHERE[name] || 'unknown';
}

/** Evaluates an SPDX expression without nested parentheses: all parts of an AND, one part of an OR. */
function isPermitted(licence, name) {
  const expression = licence.replace(/^\(|\)$/g, '');
  if (expression.includes(' OR ')) return expression.split(' OR ').some((part) => isPermitted(part, name));
  return expression.split(' AND ').every((id) => PERMITTED.includes(id) || PERMITTED_FOR[id]?.test(name));
}
