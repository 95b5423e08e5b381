/** Parts of a statement that are ignored: comments, strings and function bodies. */
const TEXT_THAT_IS_NO_SQL = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g;

/** Statements, or actions of ALTER TABLE, that older apps do not notice. */
const HARMLESS_ACTIONS = [
  /^(select|insert|update|delete|comment|grant|create (or replace )?function|create index|create table)\b/,
  /^drop index\b/,
  /^add (column )?(if not exists )?(?!constraint|check|unique|primary|foreign|exclude)(?!.*\b(not null|check|unique|references|primary)\b)/,
  /^add (column )?(?!constraint).*\bnot null default\b(?!.*\b(check|unique|references)\b)/,
  /^add (column )?\S+ \S+( not null)? generated\b/,
  /^alter (column )?\S+ (drop not null|set default|set statistics|set storage)\b/,
  /^set \(/,
];

/**
 * Returns the statements of a migration, or actions of ALTER TABLE, after which an older app may fail: everything that
 * is not known to be harmless. Tables that the same migration creates can be changed freely.
 */
export function findContractions(statements: readonly string[]): string[] {
  const created = new Set<string>();
  const found: string[] = [];
  for (const statement of statements.flatMap(splitStatements)) {
    const table = /^create table (?:if not exists )?([\w.]+)/.exec(statement)?.[1];
    if (table) created.add(table);
    const changed = /^(?:alter table (?:only )?|create (?:unique )?(?:index|trigger) .*? on )([\w.]+)/.exec(
      statement,
    )?.[1];
    if (changed && created.has(changed)) continue;
    found.push(...actionsOf(statement).filter((action) => !HARMLESS_ACTIONS.some((pattern) => pattern.test(action))));
  }
  return found;
}

/** Splits SQL into normalized statements: lower case, single spaces, without comments and the text of strings. */
function splitStatements(sql: string): string[] {
  const plain = sql.replace(TEXT_THAT_IS_NO_SQL, (part) => (part.startsWith('-') || part.startsWith('/') ? ' ' : "''"));
  return plain
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim().toLowerCase())
    .filter((statement) => statement !== '');
}

/** Returns the actions of ALTER TABLE, or the statement itself. */
function actionsOf(statement: string): string[] {
  const actions = /^alter table (?:only )?[\w.]+ (.*)$/.exec(statement)?.[1];
  return actions === undefined ? [statement] : splitAtCommas(actions);
}

/** Splits at commas outside parentheses. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (const [index, character] of [...text].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return [...parts, text.slice(start).trim()];
}
