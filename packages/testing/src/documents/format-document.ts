import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';

const CONFIGURATION = resolve(import.meta.dirname, '../../../../.oxfmtrc.json');

/** Formats the text of a generated file as `npm run format` would. @throws Error if the text cannot be parsed */
export async function formatDocument(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, JSON.parse(readFileSync(CONFIGURATION, 'utf8')) as FormatConfig);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  return code;
}
