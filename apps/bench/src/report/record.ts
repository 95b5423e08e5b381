import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatDocument } from '@family-watch/testing/documents/format-document';
import { drawCharts } from './charts.js';
import type { Machine } from './machine.js';
import type { BenchResult } from './result.js';
import { toMarkdownTable } from './table.js';

/** The recorded results of a complete run. */
export interface BenchReport {
  /** Time of the run in ISO 8601. */
  time: string;
  command: string;
  machine: Machine;
  database: Record<string, string>;
  /** Load averages of the machine before and after the run. */
  load: { before: string; after: string };
  results: BenchResult[];
}

const FOLDER = fileURLToPath(new URL('../../../../docs/benchmarks/', import.meta.url));

/**
 * Writes `docs/benchmarks/<benches>.json` and `.md`, and charts as `.svg`. Overwrites the results of an earlier run of the same benchmarks.
 *
 * @returns the path of the `.md` file
 */
export async function writeReport(report: BenchReport): Promise<string> {
  const name = report.results.map(({ bench }) => bench.toLowerCase()).join('-');
  await mkdir(FOLDER, { recursive: true });
  await writeFormatted(`${FOLDER}${name}.json`, JSON.stringify(report));
  const charts = await drawCharts(report.results);
  for (const [kind, svg] of charts) await writeFile(`${FOLDER}${name}-${kind}.svg`, svg);
  const links = [...charts.keys()].map((kind) => `![${CHART_TITLES[kind] ?? kind}](${name}-${kind}.svg)\n\n`);
  await writeFormatted(`${FOLDER}${name}.md`, toMarkdownPage(report, links));
  return `${FOLDER}${name}.md`;
}

async function writeFormatted(path: string, text: string): Promise<void> {
  await writeFile(path, await formatDocument(path, text));
}

const CHART_TITLES: Record<string, string> = {
  goals: 'The results as shares of their goals',
  growth: 'Cost of each operation relative to its cost at the smallest size',
};

function toMarkdownPage(
  { time, command, machine, database, load, results }: BenchReport,
  charts: readonly string[],
): string {
  const { processor, cores, memoryGibibytes, system, nodeVersion } = machine;
  const settings = Object.entries(database).map(([setting, value]) => `${setting} ${value}`);
  return `# ${results.map(({ bench }) => bench).join(', ')}

Measured ${time.slice(0, 10)} by \`${command}\`. Servers, database and load generator share one machine: ${processor},
${cores} cores, ${memoryGibibytes} GiB, ${system}, Node ${nodeVersion}; Postgres: ${settings.join(', ')}. Load average before ${load.before},
after ${load.after}.

${charts.join('')}${toMarkdownTable(results.flatMap(({ lines }) => lines))}
`;
}
