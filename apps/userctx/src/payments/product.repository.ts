import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan, Not } from 'typeorm';
import { MAX_PRODUCTS } from '@family-watch/domain/payments/contracts/payment';
import { PaymentProductEntity } from '@family-watch/domain/payments/entities/payment.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

/** Stores the products that the operator sells. */
@Injectable()
export class ProductRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the products on sale in the order of their ids. */
  findOnSale(): Promise<PaymentProductEntity[]> {
    return this.products.find({ where: { retiredAt: IsNull() }, order: { productId: 'ASC' }, take: MAX_PRODUCTS });
  }

  findOneOnSale(productId: string): Promise<PaymentProductEntity | null> {
    return this.products.findOneBy({ productId, retiredAt: IsNull() });
  }

  /** Returns products, also retired ones, in the order of their ids, from the first id greater than `after`. */
  findPage(after: string, limit: number): Promise<PaymentProductEntity[]> {
    return this.products.find({ where: { productId: MoreThan(after) }, order: { productId: 'ASC' }, take: limit });
  }

  /** Returns the number of products on sale, without the product `exceptId`. */
  countOnSale(exceptId: string): Promise<number> {
    return this.products.countBy({ retiredAt: IsNull(), productId: Not(exceptId) });
  }

  /** Creates the product or replaces it, which also puts a retired product on sale again. */
  async set(product: Omit<PaymentProductEntity, 'retiredAt'>): Promise<void> {
    await this.products.upsert({ ...product, retiredAt: null }, ['productId']);
  }

  /** Takes a product off sale. Returns false if no product with this id is on sale. */
  async retire(productId: string, now: number): Promise<boolean> {
    const { affected } = await this.products.update(
      { productId, retiredAt: IsNull() },
      { retiredAt: now, changedAt: now },
    );
    return affected === 1;
  }

  private get products() {
    return this.unitOfWork.manager.getRepository(PaymentProductEntity);
  }
}
