import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { MAX_PRODUCTS, PRODUCT_KIND } from '@family-watch/domain/payments/contracts/payment';
import type { OperatorProductPageDto, SetProductDto } from '@family-watch/domain/payments/dto/payment.dto';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { ProductRepository } from './product.repository.js';

/** Changes for operators what families can buy. */
@Injectable()
export class ProductsService {
  constructor(private readonly products: ProductRepository) {}

  /** Lists all products, also retired ones. @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list({ cursor, limit = DEFAULT_PAGE_LIMIT }: PageQueryDto): Promise<OperatorProductPageDto> {
    const [after = ''] = cursor === undefined ? [] : decodeCursor(cursor, /^([\w.-]{1,64})$/);
    return toPage(await this.products.findPage(after, limit + 1), limit, ({ productId }) => [productId]);
  }

  /**
   * Creates a product or replaces it, which also puts a retired product on sale. Orders keep the price with which they
   * were created.
   * @throws ServiceError LIMIT_REACHED if 100 other products are on sale
   */
  async set({ productId, title, amount, currency, cloudBytes, periodDays }: SetProductDto): Promise<void> {
    if ((await this.products.countOnSale(productId)) >= MAX_PRODUCTS) throw new ServiceError('LIMIT_REACHED');
    const kind = cloudBytes === undefined ? PRODUCT_KIND.WATCH_PLAN : PRODUCT_KIND.CLOUD_SPACE;
    const product = { productId, kind, title, amount, currency, cloudBytes: cloudBytes ?? null, periodDays };
    await this.products.set({ ...product, changedAt: Date.now() });
  }

  /**
   * Takes a product off sale. What families have bought stays valid.
   * @throws ServiceError PRODUCT_NOT_FOUND if no product with this id is on sale
   */
  async retire(productId: string): Promise<void> {
    if (!(await this.products.retire(productId, Date.now()))) throw new ServiceError('PRODUCT_NOT_FOUND');
  }
}
