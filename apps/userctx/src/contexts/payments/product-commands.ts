import { parseArgs } from 'node:util';
import { PRODUCT_KIND, PRODUCT_LIMITS } from '@family-watch/domain/payments/contracts/payment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { EXIT_CODE, print, UsageError } from '@family-watch/platform/operator/command-line';
import type { AppCommands } from '@family-watch/platform/operator/operator-command';
import { userctxDatabase } from '../../database/userctx-database.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { ProductRepository } from './product.repository.js';

const GIB = 1024 ** 3;

const USAGE = `Sets what families can buy. Without products, nothing is for sale. The service may be running.

  npm run operator -- products list [--json]
  npm run operator -- products set ID --title TEXT --amount N --currency CODE --days N [--cloud-gib N]
  npm run operator -- products retire ID

  products list    lists all products, including those that are no longer on sale
  products set     creates or replaces a product; orders keep the price that they were created with
  products retire  takes a product off sale; what families have bought stays valid

  --amount is the price in the minor unit of the currency, such as cents. --currency is an ISO 4217 code.
  --cloud-gib makes the product cloud space of this many GiB; without it, the product is a plan for one child's watch.

Exit code: 0 when the command was carried out, 1 when the product does not exist, 2 when nothing was done.
`;

/** The commands `products …`, which run on userctx's database. */
export const productCommands: AppCommands = {
  usage: USAGE,
  subjects: ['products'],
  run: (args, _, url) => executeOn(url, parseCommand(args.slice(1))),
};

async function executeOn(url: string, command: Command): Promise<number> {
  const database = await openAppDatabase({ ...userctxDatabase, url, limits: { poolSize: 2 } });
  try {
    await database.assertSchemaSupported();
    return await execute(command, new ProductRepository(new UserctxUnitOfWork(database.dataSource, database.schema)));
  } finally {
    await database.close();
  }
}

type NewProduct = Omit<Parameters<ProductRepository['set']>[0], 'changedAt'>;

type Command =
  { action: 'list'; json: boolean } | { action: 'set'; product: NewProduct } | { action: 'retire'; productId: string };

/** @throws UsageError that says which argument is missing or invalid */
function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [action, productId = ''] = positionals;
  if (action === 'list') return { action, json: values.json };
  if (action !== 'set' && action !== 'retire') throw new UsageError(USAGE);
  if (!/^[\w.-]{1,64}$/.test(productId)) throw new UsageError('ID must be 1 to 64 letters, digits, dots and hyphens');
  if (action === 'retire') return { action, productId };
  const { title = '', currency = '' } = values;
  if (title.trim() === '' || title.length > PRODUCT_LIMITS.titleLength)
    throw new UsageError(`--title must have 1 to ${PRODUCT_LIMITS.titleLength} characters`);
  if (!Intl.supportedValuesOf('currency').includes(currency))
    throw new UsageError('--currency must be an ISO 4217 code');
  const cloudGib = values['cloud-gib'];
  const cloudBytes =
    cloudGib === undefined ? null : parseNumber('cloud-gib', cloudGib, PRODUCT_LIMITS.cloudBytes / GIB) * GIB;
  const product = {
    productId,
    title,
    currency,
    kind: cloudBytes === null ? PRODUCT_KIND.WATCH_PLAN : PRODUCT_KIND.CLOUD_SPACE,
    amount: parseNumber('amount', values.amount, PRODUCT_LIMITS.amount),
    cloudBytes,
    periodDays: parseNumber('days', values.days, PRODUCT_LIMITS.periodDays),
  };
  return { action, product };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const json = { type: 'boolean', default: false } as const;
  const options = { json, title: text, amount: text, currency: text, days: text, 'cloud-gib': text } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseNumber(name: string, value: string | undefined, max: number): number {
  const number = /^\d{1,12}$/.test(value ?? '') ? Number(value) : 0;
  if (number < 1 || number > max) throw new UsageError(`--${name} must be a number from 1 to ${max}`);
  return number;
}

async function execute(command: Command, products: ProductRepository): Promise<number> {
  switch (command.action) {
    case 'list':
      for (const product of await products.findAll()) {
        const { productId, kind, title, amount, currency, cloudBytes, periodDays, retiredAt } = product;
        const size = cloudBytes === null ? '' : `  ${cloudBytes / GIB} GiB`;
        const line = `${productId}  ${kind}${size}  ${amount} ${currency} (minor unit)  ${periodDays} days  ${title}`;
        print(command.json ? JSON.stringify(product) : `${line}${retiredAt === null ? '' : '  retired'}`);
      }
      return EXIT_CODE.DONE;
    case 'set':
      await products.set({ ...command.product, changedAt: Date.now() });
      print(`${command.product.productId} is on sale`);
      return EXIT_CODE.DONE;
    case 'retire': {
      const isRetired = await products.retire(command.productId, Date.now());
      print(`${command.productId} ${isRetired ? 'is no longer on sale' : 'is not on sale'}`);
      return isRetired ? EXIT_CODE.DONE : EXIT_CODE.NOT_FOUND;
    }
  }
}
