import type { ResultLine } from './result.js';

const HEADER = ['bench', 'what', 'value', 'goal', ''] as const;

function cellsOf({ bench, what, value, goal = '', passed }: ResultLine): string[] {
  return [bench, what, value, goal, passed === undefined ? '' : passed ? 'pass' : 'FAIL'];
}

/** Formats the lines as a table for a terminal. */
export function toTextTable(lines: readonly ResultLine[]): string {
  const rows = [[...HEADER], ...lines.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats the lines as a Markdown table. */
export function toMarkdownTable(lines: readonly ResultLine[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(HEADER), row(HEADER.map(() => '---')), ...lines.map((line) => row(cellsOf(line)))].join('\n');
}
