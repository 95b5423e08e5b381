import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(import.meta.dirname, '../../src/core/languages');
export const LANGUAGES = ['en', 'zh-CN', 'de', 'es', 'ar'] as const;
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

const [english = {}, ...others] = LANGUAGES.map(
  (language) => JSON.parse(readFileSync(join(DIRECTORY, `${language}.json`), 'utf8')) as Texts,
);

/**
 * Returns a pattern that matches a text of the console in each language.
 *
 * @param text - the text in English, with its placeholders, such as `Delete {{name}}`
 * @param part - whether it is all that an element shows, or only its start
 * @throws Error if the console has no such text
 */
export function inAnyLanguage(text: string, part: 'all' | 'start' = 'all'): RegExp {
  const found = Object.entries(english).flatMap(([namespace, texts]) =>
    Object.entries(texts)
      .filter(([, value]) => value === text)
      .flatMap(([key]) => others.map((each) => each[namespace]?.[key])),
  );
  if (found.length === 0) throw new Error(`The console has no text "${text}"`);
  const patterns = [text, ...found.filter((each) => each !== undefined)].map((each) =>
    each
      .split(/\{\{\w+\}\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
  );
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})${part === 'all' ? '$' : ''}`);
}
