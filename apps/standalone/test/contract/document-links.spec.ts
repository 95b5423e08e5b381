import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../../..');

/** Files of the repository whose names match `patterns`, also those that are not committed yet. */
function listFiles(...patterns: string[]): string[] {
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return names.split('\n').filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = withoutCode(readText(page)).matchAll(/^#+ +(.+)$/gm);
  return new Set([...headings].map(([, title = '']) => toAnchor(title)));
}

function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```/gm, '');
}

/** Whether the file exists and, if the target names a heading of a page, the heading too. */
function exists(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || !path.endsWith('.md') || anchorsOf(path).has(anchor);
}

/** Relative links of a page, as paths in the repository. */
function linksOf(page: string): string[] {
  const links = withoutCode(readText(page)).matchAll(/\]\((?!\w+:|\/)([^)\s]+)\)/g);
  return [...links].map(([, link = '']) =>
    link.startsWith('#') ? `${page}${link}` : normalize(join(dirname(page), link)),
  );
}

describe('links of documents', () => {
  test.each(listFiles('*.md'))('of %s lead to files and headings that exist', (page) => {
    expect(linksOf(page).filter((link) => !exists(link))).toEqual([]);
  });
});

describe('pages that sources name', () => {
  test('exist', () => {
    const sources = listFiles('*.ts', '*.tsx', '*.mjs', '*.sh', '*.yml', '*.conf', '*.json', '.ci/*', 'docker/*');
    const named = sources.flatMap((file) =>
      [...readText(file).matchAll(/(?<![\w./-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g)].map(([page]) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ page }) => !exists(page))).toEqual([]);
  });
});
