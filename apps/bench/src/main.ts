import { parseArgs } from 'node:util';

/** `npm run bench -- b1 b2 … [--seconds 15] [--pairs 200] [--rounds 3]` */
const { positionals } = parseArgs({ allowPositionals: true });
process.stdout.write(`benches asked for: ${positionals.join(' ') || 'all'}\n`);
