import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/generated-workspace.js';

const APPS = ['userctx', 'gateway', 'mcdisk'];

/** Events that platform publishes for each app, so that no room of the app does. */
const PUBLISHED_BY_PLATFORM = /\.(child-data\.read|account-erasure\.confirmed)$/;

interface Room {
  app: string;
  name: string;
  /** File name of the module. */
  file: string;
  /** The doc comment of the module, on one line. */
  page: string;
}

/** The folders of an app with a module. */
const ROOMS: Room[] = APPS.flatMap((app) =>
  globSync(`apps/${app}/src/*/*.module.ts`, { cwd: ROOT }).map((path) => {
    const [, comment = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n@Module\(/.exec(read(path)) ?? [];
    return {
      app,
      name: basename(dirname(path)),
      file: basename(path),
      page: comment.replaceAll(/\s*\n \*\s*/g, ' ').trim(),
    };
  }),
);

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the text after `- <label>:`, to the next label. */
function section({ page }: Room, label: string): string {
  return new RegExp(`- ${label}: (.*?)\\.(?: - |$)`).exec(page)?.[1] ?? '';
}

function quotedNames(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Returns the rooms of the same app whose files the room imports. */
function importedRooms({ app, name }: Room): string[] {
  const source = `apps/${app}/src`;
  const siblings = new Set(ROOMS.filter((room) => room.app === app && room.name !== name).map((room) => room.name));
  const files = globSync(`${source}/${name}/**/*.ts`, { cwd: ROOT }).filter((path) => !path.endsWith('.spec.ts'));
  const imported = files.flatMap((path) =>
    [...read(path).matchAll(/from '(\.[^']+)'/g)].map(
      ([, specifier = '']) =>
        normalize(join(dirname(path), specifier))
          .slice(source.length + 1)
          .split('/')[0] ?? '',
    ),
  );
  return [...siblings].filter((room) => imported.includes(room));
}

describe('the page of a room, which is the doc comment of its module,', () => {
  test.each(ROOMS)('names the rooms that it needs: $app/$name', (room) => {
    const needed = section(room, 'Needs');
    expect(needed === 'no other room' ? [] : needed.split(', ').toSorted()).toEqual(importedRooms(room).toSorted());
  });

  test.each(APPS)('together list each table of %s once', (app) => {
    const tables = globSync('packages/domain/src/*/entities/*.ts', { cwd: ROOT }).flatMap((path) =>
      [...read(path).matchAll(/@Entity\(\{([^}]*)\}\)/g)].flatMap(([, options = '']) =>
        options.includes(`schema: '${app}'`) ? [/name: '(\w+)'/.exec(options)?.[1]] : [],
      ),
    );
    const listed = ROOMS.filter((room) => room.app === app).flatMap((room) => quotedNames(section(room, 'Tables')));
    expect(listed.toSorted()).toEqual(tables.toSorted());
  });

  test.each(APPS)('together list each event that %s publishes', (app) => {
    const names = globSync('packages/domain/src/*/contracts/*.ts', { cwd: ROOT }).flatMap((path) =>
      [...read(path).matchAll(/^ {2}'([a-z]+\.[a-z.-]+)': /gm)].map(([, name = '']) => name),
    );
    const published = names.filter((name) => name.startsWith(`${app}.`) && !PUBLISHED_BY_PLATFORM.test(name));
    const listed = ROOMS.filter((room) => room.app === app).flatMap((room) => quotedNames(section(room, 'Publishes')));
    expect([...new Set(listed)].toSorted()).toEqual([...new Set(published)].toSorted());
  });
});

test('each room has one module, at its top, with the name of its folder', () => {
  const nested = globSync('apps/{userctx,gateway,mcdisk}/src/*/*/**/*.module.ts', { cwd: ROOT });
  expect(nested).toEqual([]);
  expect(ROOMS.filter(({ name, file }) => file !== `${name}.module.ts`)).toEqual([]);
});
