import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runMain } from '../run-main.js';
import { ChaosRun } from './chaos-run.js';
import { readChaosOptions, USAGE } from './chaos-options.js';

const CHECKER_PROGRAM = fileURLToPath(import.meta.resolve('../checker/main.js'));

/** Entry point of `npm run bench -- chaos`. Exit codes: 0 no violation; 1 a violation or an error; 2 invalid options. */
async function main(): Promise<number> {
  const options = readChaosOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const file = await ChaosRun.execute(options, (text) => process.stdout.write(`${text}\n`));
  const checker = spawn(process.execPath, [CHECKER_PROGRAM, file], { stdio: 'inherit' });
  const [exitCode] = (await once(checker, 'exit')) as [number | null];
  process.stdout.write(`seed ${options.seed}, history in ${file}, logs in ${file}.log\n`);
  return exitCode === 0 ? 0 : 1;
}

await runMain(main);
