import { runMain } from '../run-main.js';
import { readFuzzOptions, USAGE } from './fuzz-options.js';
import { describeReport } from './fuzz-report.js';
import { FuzzRun } from './fuzz-run.js';
import { OwnProcess } from './target.js';

/** Entry point of `npm run bench -- fuzz`. Exit codes: 0 no finding; 1 a finding or an error; 2 invalid options. */
async function main(): Promise<number> {
  const options = readFuzzOptions(process.argv.slice(2));
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  if (options === 'help') {
    print(USAGE);
    return 0;
  }
  const { url, dataDir } = options;
  await using own = url === undefined ? await OwnProcess.start() : undefined;
  const target = own?.target ?? { url: url ?? '', dataDir: dataDir ?? '' };
  print(`seed ${options.seed}, ${target.url}`);
  const report = await FuzzRun.execute(options, target, print);
  print(describeReport(report, options));
  return report.findings.length === 0 ? 0 : 1;
}

await runMain(main);
