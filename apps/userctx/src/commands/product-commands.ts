import { parseArgs } from 'node:util';
import { MAX_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  ProductReferenceDto,
  SetProductDto,
  type OperatorProductDto,
} from '@family-watch/domain/payments/dto/payment.dto';
import { EXIT_CODE, printLine, UsageError, validateArguments } from '@family-watch/platform/app/operator/command-line';
import type { AppCommands, AuditedCommand } from '@family-watch/platform/app/operator/operator-command';
import { auditCommand, useCommandDatabase } from './audited-command.js';
import { ProductRepository } from '../payments/product.repository.js';
import { ProductsService } from '../payments/products.service.js';

const GIB = 1024 ** 3;

const ARGUMENT_NAMES: Readonly<Record<string, string>> = {
  productId: 'ID',
  periodDays: '--days',
  cloudBytes: '--cloud-gib',
};

const USAGE = `Sets what families can buy. Without products, nothing is for sale. The service may be running.

  npm run operator -- products list [--json]
  npm run operator -- products set ID --title TEXT --amount N --currency CODE --days N [--cloud-gib N]
  npm run operator -- products retire ID

  products list    lists all products, including those that are no longer on sale
  products set     creates or replaces a product; orders keep the price that they were created with
  products retire  takes a product off sale; what families have bought stays valid

  --amount is the price in the minor unit of the currency, such as cents. --currency is an ISO 4217 code.
  --cloud-gib makes the product cloud space of this many GiB; without it, the product is a plan for one child's watch.

Each command is added to the audit list.

Exit code: 0 when the command was carried out, 1 when the product does not exist, 2 when nothing was done.
`;

/** The commands `products …`, which run on userctx's database. */
export const productCommands: AppCommands = {
  usage: USAGE,
  subjects: ['products'],
  run: async (args, _, url) => {
    const command = parseCommand(args.slice(1));
    return useCommandDatabase(url, async (database) => {
      await auditCommand(database, command.audited);
      return command.run(new ProductsService(new ProductRepository(database.unitOfWork)));
    });
  },
};

interface Command {
  audited: AuditedCommand;
  /** Returns the exit code. */
  run(products: ProductsService): Promise<number>;
}

/** @throws UsageError that says which argument is missing or invalid */
function parseCommand(args: readonly string[]): Command {
  const { json, title, currency, amount, days, 'cloud-gib': cloudGib, positionals } = parse(args);
  const [action, productId] = positionals;
  const operation = `products ${action}`;
  if (action === 'list') return { audited: { operation, fields: {} }, run: (products) => list(products, json) };
  if (action !== 'set' && action !== 'retire') throw new UsageError(USAGE);
  if (action === 'retire') {
    const reference = validateArguments(ProductReferenceDto, { productId }, { nameOf: argumentNameOf });
    return { audited: { operation, fields: { ...reference } }, run: (products) => retire(products, reference) };
  }
  const values = {
    productId,
    title,
    currency,
    amount: amount === undefined ? undefined : toNumber(amount),
    periodDays: days === undefined ? undefined : toNumber(days),
    ...(cloudGib !== undefined && { cloudBytes: toNumber(cloudGib) * GIB }),
  };
  const product = validateArguments(SetProductDto, values, { nameOf: argumentNameOf });
  const fields = { productId: product.productId, amount: `${product.amount}`, currency: product.currency };
  return {
    audited: { operation, fields },
    run: async (products) => {
      await products.set(product);
      printLine(`${product.productId} is on sale`);
      return EXIT_CODE.DONE;
    },
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const json = { type: 'boolean', default: false } as const;
  const options = { json, title: text, amount: text, currency: text, days: text, 'cloud-gib': text } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function toNumber(text: string): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : NaN;
}

/** Returns the argument that contains a field of a product. */
function argumentNameOf(field: string): string {
  return ARGUMENT_NAMES[field] ?? `--${field}`;
}

async function list(products: ProductsService, json: boolean): Promise<number> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await products.list({ cursor, limit: MAX_PAGE_LIMIT });
    for (const product of items) printLine(json ? JSON.stringify(product) : describeProduct(product));
    if (nextCursor === null) return EXIT_CODE.DONE;
    cursor = nextCursor;
  }
}

function describeProduct(product: OperatorProductDto): string {
  const { productId, kind, title, amount, currency, cloudBytes, periodDays, retiredAt } = product;
  const size = cloudBytes === null ? '' : `  ${cloudBytes / GIB} GiB`;
  const line = `${productId}  ${kind}${size}  ${amount} ${currency} (minor unit)  ${periodDays} days  ${title}`;
  return `${line}${retiredAt === null ? '' : '  retired'}`;
}

async function retire(products: ProductsService, { productId }: ProductReferenceDto): Promise<number> {
  try {
    await products.retire(productId);
  } catch (error) {
    if (!(error instanceof ServiceError && error.reason === 'PRODUCT_NOT_FOUND')) throw error;
    printLine(`${productId} is not on sale`);
    return EXIT_CODE.NOT_FOUND;
  }
  printLine(`${productId} is no longer on sale`);
  return EXIT_CODE.DONE;
}
