/**
 * Draws names, sentences and test titles from the tree at random, for a reader who does not know the project. The same
 * seed draws the same sample from the same tree.
 *
 * node packages/testing/vocabulary/draw-sample.mjs [--seed 1] [--names 40] [--sentences 40] [--titles 20]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import ts from 'typescript';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    names: { type: 'string', default: '40' },
    sentences: { type: 'string', default: '40' },
    titles: { type: 'string', default: '20' },
  },
});

const names = new Set();
const sentences = new Set();
const titles = new Set();

for (const path of execFileSync('git', ['ls-files', '*.ts', '*.md'], { encoding: 'utf8' }).split('\n')) {
  if (path === '' || path.includes('/generated/') || path.endsWith('.migration.ts')) continue;
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.md')) addSentences(path, text.replaceAll(/^(```[\s\S]*?^```|\|.*|#.*)$/gm, '\n'));
  else readSource(path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
}

print('Names', names, Number(values.names));
print('Sentences', sentences, Number(values.sentences));
print('Test titles', titles, Number(values.titles));

function readSource(path, source) {
  names.add(`${path} (file)`);
  const comments = [...source.text.matchAll(/\/\*\*\s([\s\S]*?)\*\/|(?:^ *\/\/.*\n)+/gm)];
  for (const [comment] of comments) addSentences(path, comment.replaceAll(/^ *(\/\*\*|\*\/|\*|\/\/)|\*\/$/gm, ''));
  visit(source);

  function visit(node) {
    if (ts.isCallExpression(node)) addTitle(path, node);
    if (node.name !== undefined && ts.isIdentifier(node.name) && isDeclaration(node)) {
      names.add(`${path}: ${qualifiedName(node)}, in \`${firstLine(node)}\``);
    }
    ts.forEachChild(node, visit);
  }
}

function isDeclaration(node) {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    (ts.isVariableDeclaration(node) &&
      ts.isVariableStatement(node.parent.parent) &&
      ts.isSourceFile(node.parent.parent.parent))
  );
}

/** Returns the name of a declaration; a member's name starts with the class, interface, type or variable around it. */
function qualifiedName(node) {
  const isMember = ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertySignature(node);
  let owner = isMember ? node.parent : undefined;
  while (owner !== undefined && !(owner.name !== undefined && ts.isIdentifier(owner.name))) owner = owner.parent;
  return owner === undefined ? node.name.text : `${owner.name.text}.${node.name.text}`;
}

/** Returns the first line of a declaration, which contains the type or the value of the name. */
function firstLine(node) {
  return node.getText().split('\n', 1)[0].slice(0, 120);
}

/** Adds the title of a test, preceded by the titles of the describe blocks around it. */
function addTitle(path, call) {
  if (titleOf(call, /^(it|test)\b/) === undefined) return;
  const parts = [];
  for (let node = call; node !== undefined; node = node.parent) {
    const part = ts.isCallExpression(node) ? titleOf(node, /^(describe\w*|it|test)\b/) : undefined;
    if (part !== undefined) parts.unshift(part);
  }
  titles.add(`${path}: ${parts.join(' › ')}`);
}

function titleOf(call, pattern) {
  const [title] = call.arguments;
  if (title === undefined || !ts.isStringLiteralLike(title) || !pattern.test(call.expression.getText()))
    return undefined;
  return title.text;
}

function addSentences(path, prose) {
  for (const paragraph of prose.split(/\n\s*\n|\n\s*(?=@|[-*] |\d+\. )/)) {
    const line = paragraph.replaceAll(/\s+/g, ' ').trim();
    for (const sentence of line.split(/(?<=\.) (?=[A-Z`])/)) {
      if (sentence.split(' ').length > 4) sentences.add(`${path}: ${sentence}`);
    }
  }
}

function print(title, all, count) {
  const pool = [...all].sort();
  const subset = fc.shuffledSubarray(pool, { minLength: count, maxLength: count });
  const [drawn] = fc.sample(subset, { seed: Number(values.seed), numRuns: 1 });
  const lines = drawn.map((item, index) => `${index + 1}. ${item}`);
  process.stdout.write(`\n${title} (${count} of ${pool.length})\n\n${lines.join('\n')}\n`);
}
