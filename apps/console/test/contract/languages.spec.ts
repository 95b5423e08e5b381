import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';

type Texts = Record<string, Record<string, string>>;

const FOLDER = new URL('../../src/core/languages/', import.meta.url);
const LANGUAGES = readdirSync(FOLDER).map((name) => basename(name, '.json'));
const ENGLISH = textsOf('en');
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

function textsOf(language: string): Texts {
  return JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), 'utf8')) as Texts;
}

/** The keys of a language: those of English, where a text with a plural has the forms of the language. */
function keysOf(language: string): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  return Object.entries(ENGLISH).flatMap(([namespace, texts]) =>
    [...new Set(Object.keys(texts).map((key) => key.replace(PLURAL, '_plural')))].flatMap((key) =>
      key.endsWith('_plural')
        ? pluralCategories.map((category) => `${namespace}.${key.replace('_plural', `_${category}`)}`)
        : `${namespace}.${key}`,
    ),
  );
}

function entriesOf(texts: Texts): [string, string][] {
  return Object.entries(texts).flatMap(([namespace, inNamespace]) =>
    Object.entries(inNamespace).map(([key, text]): [string, string] => [`${namespace}.${key}`, text]),
  );
}

const placeholdersOf = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].sort();

describe.each(LANGUAGES)('the language %s', (language) => {
  const entries = entriesOf(textsOf(language));

  test('has a text for each key and plural form, and no other', () => {
    expect(entries.map(([key]) => key).sort()).toEqual(keysOf(language).sort());
  });

  test('has no empty text', () => {
    expect(entries.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('has the placeholders of English', () => {
    const english = new Map(entriesOf(ENGLISH));
    for (const [key, text] of entries) {
      // Languages may write the number of some plural forms in words, as in "no message", "two messages".
      if (PLURAL.test(key)) continue;
      expect([key, ...placeholdersOf(text)]).toEqual([key, ...placeholdersOf(english.get(key) ?? '')]);
    }
  });
});
