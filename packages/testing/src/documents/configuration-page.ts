import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ValidationTypes, getMetadataStorage } from 'class-validator';
import ts from 'typescript';
import { Environment } from '@family-watch/platform/config/environment';
import { groupOf, GROUPS, type Group } from '@family-watch/platform/config/variables/set-by.decorator';
import { formatDocument } from './format-document.js';

const CONFIGURATION = 'packages/platform/src/config';

const INTRODUCTION = `# Configuration

Settings are environment variables. The service reads and validates them once at start; with an invalid or missing value
the start fails and names the variable. An empty variable counts as absent. \`npm start\` needs none of them; the commands
of the project also read \`.env\` ([.env.example](../.env.example)). Standalone for families needs some of them
([operations.md](operations.md#before-families-use-it)). The variables are grouped by who has a reason to set them.

This page is generated from the classes that read the variables ([${CONFIGURATION}/variables](../${CONFIGURATION}/variables))
by \`npm run generate -- configuration\`. [testing.md](testing.md) has the variables of tests,
[docker/README.md](../docker/README.md) those of \`docker compose\`.
`;

/** What the page says about the variables of each group. */
const GROUP_DESCRIPTIONS: Readonly<Record<Group, string>> = {
  'every operator':
    'Address, data and backups, SMS, enrolment, maps, video calls, and how long personal data are kept: what an operator ' +
    'decides before families use the service. The defaults are for a family at home.',
  'large operators':
    'Servers of your own for database, events, files and monitoring; several processes; apps of your own with push and ' +
    'payments; watches of your own; many families behind one address.',
  developers:
    'For tests, load tests and trials, which need other limits, shorter intervals or the test environment of a provider. ' +
    'Nobody has a reason to set them in production.',
};

/** A class of environment variables, as its source describes it. */
interface Subject {
  readonly title: string;
  readonly description: string;
  readonly variables: readonly { readonly name: string; readonly description: string }[];
}

/** Returns the Markdown of docs/configuration.md: per group a table for each subject that has variables of the group. */
export function configurationPage(root: string): Promise<string> {
  const subjects = readSubjects(root);
  const described = new Set<Subject>();
  const sections = GROUPS.flatMap((group) => [
    `## For ${group}`,
    GROUP_DESCRIPTIONS[group],
    ...subjects.flatMap((subject) => {
      const rows = rowsOf(subject, group);
      if (rows.length === 0) return [];
      const description = described.has(subject) ? [] : [subject.description];
      described.add(subject);
      return [`### ${subject.title}`, ...description, [...TABLE_HEAD, ...rows].join('\n')];
    }),
  ]);
  return formatDocument('configuration.md', [INTRODUCTION, ...sections].join('\n\n'));
}

const TABLE_HEAD = [row(['variable', 'type', 'default', 'meaning']), '| - | - | - | - |'];

/** Returns the rows of the subject's variables that the group sets. */
function rowsOf({ variables }: Subject, group: Group): string[] {
  return variables
    .filter(({ name }) => groupOf(name) === group)
    .map(({ name, description }) => row([`\`${name}\``, typeOf(name), defaultOf(name), description]));
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Reads the classes in the order in which the class Environment combines them. */
function readSubjects(root: string): Subject[] {
  const environment = parse(join(root, CONFIGURATION, 'environment.ts'));
  return environment.statements
    .filter(ts.isImportDeclaration)
    .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
    .filter((module) => module.startsWith('./variables/'))
    .map((module) => parse(join(root, CONFIGURATION, 'variables', basename(module, '.js') + '.ts')))
    .map((source) => source.statements.find(ts.isClassDeclaration))
    .filter((declaration) => declaration !== undefined)
    .toSorted((left, right) => combinedPosition(environment, left) - combinedPosition(environment, right))
    .map(readSubject);
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Returns the position of the class's last mention in the source: its place in the combination. */
function combinedPosition(environment: ts.SourceFile, declaration: ts.ClassDeclaration): number {
  return environment.text.lastIndexOf(declaration.name?.text ?? '');
}

/** `RateLimitEnvironment` becomes the subject "Rate limit". */
function readSubject(declaration: ts.ClassDeclaration): Subject {
  const words = (declaration.name?.text ?? '').replace(/Environment$/, '').replace(/(?<!^)[A-Z]/g, ' $&');
  return {
    title: words.charAt(0) + words.slice(1).toLowerCase(),
    description: comment(declaration),
    variables: declaration.members.filter(ts.isPropertyDeclaration).map((property) => ({
      name: (property.name as ts.Identifier).text,
      description: comment(property),
    })),
  };
}

function comment(node: ts.Node): string {
  const [documentation] = ts.getJSDocCommentsAndTags(node);
  return (ts.getTextOfJSDocComment(documentation?.comment) ?? '').replace(/\s+/g, ' ');
}

function defaultOf(name: string): string {
  const value = new Environment()[name as keyof Environment];
  return value === undefined ? '' : `\`${String(value)}\``;
}

type Constraints = Map<string, { values: readonly unknown[]; message: unknown }>;

/** Describes the values that the validation decorators of a variable accept. */
function typeOf(name: string): string {
  const constraints: Constraints = new Map(
    getMetadataStorage()
      .getTargetValidationMetadatas(Environment, '', false, false)
      .filter(({ propertyName, type }) => propertyName === name && type === ValidationTypes.CUSTOM_VALIDATION)
      .map(({ name: constraint, constraints: values, message }) => [
        constraint ?? '',
        { values: (values ?? []) as readonly unknown[], message },
      ]),
  );
  const accepted = constraints.get('isIn');
  if (accepted) return (accepted.values[0] as string[]).map((value) => `\`${value}\``).join(', ');
  if (constraints.has('isInt')) return `integer${describeBounds(constraints)}`;
  if (constraints.has('min')) return `number${describeBounds(constraints)}`;
  const url = constraints.get('isUrl');
  if (url) return `URL (${(url.values[0] as { protocols: string[] }).protocols.map((p) => `\`${p}:\``).join(', ')})`;
  const pattern = constraints.get('matches');
  if (typeof pattern?.message === 'string')
    return pattern.message.replace(/^must be /, '').replace(/^must have /, 'text with ');
  if (pattern) return `text that matches \`${String(pattern.values[0])}\``;
  const length = Number(constraints.get('minLength')?.values[0] ?? 1);
  return length > 1 ? `text with at least ${length} characters` : 'text';
}

function describeBounds(constraints: Constraints): string {
  const [min, max] = ['min', 'max'].map((name) => constraints.get(name)?.values[0] as number | undefined);
  if (max === undefined) return min === undefined ? '' : `, at least ${min}`;
  return `, ${min ?? 0} to ${max}`;
}
