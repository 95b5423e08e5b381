import { applyDecorators } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  EnumField,
  IntegerField,
  NameField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  MAX_ENTITLEMENTS_RETURNED,
  MAX_PRODUCTS,
  ORDER_STATE,
  PAYMENT_PROVIDER,
  PRODUCT_ID_PATTERN,
  PRODUCT_KIND,
  PRODUCT_LIMITS,
  type OrderState,
  type PaymentProviderName,
  type ProductKind,
} from '../contracts/payment.js';

/** Codes of ISO 4217 that this JavaScript runtime supports. */
const CURRENCIES = Intl.supportedValuesOf('currency');

function CurrencyField(): PropertyDecorator {
  return applyDecorators(
    StringField({ maxLength: 3, example: 'CNY', description: 'ISO 4217' }),
    IsIn(CURRENCIES, { message: '$property must be an ISO 4217 code' }),
  );
}

const PROVIDER_COUNT = Object.keys(PAYMENT_PROVIDER).length;

export class ProductDto {
  @ReferenceField({ example: 'cloud-100gb-month' })
  productId: string;

  @EnumField(PRODUCT_KIND)
  kind: ProductKind;

  @StringField({ example: '100 GB for a month' })
  title: string;

  @IntegerField({ min: 1, example: 990, description: 'Price in the minor unit of the currency' })
  amount: number;

  @StringField({ example: 'CNY', description: 'ISO 4217' })
  currency: string;

  @IntegerField({ nullable: true, description: 'Bytes by which the cloud grows; null for a watch plan' })
  cloudBytes: number | null;

  @IntegerField({ min: 1, max: 2_147_483_647, example: 30, description: 'Days for which the product is valid' })
  periodDays: number;
}

export class ProductListDto {
  @NestedListField(() => ProductDto, {
    maxItems: MAX_PRODUCTS,
    description: 'Empty unless the operator sells products',
  })
  items: ProductDto[];

  @StringListField({
    maxItems: PROVIDER_COUNT,
    description: 'Payment providers that `order/pay` accepts, the default provider first',
  })
  providers: PaymentProviderName[];
}

export class CreateOrderDto {
  @ReferenceField({ example: 'cloud-100gb-month' })
  productId: string;

  @ReferenceField({ optional: true, description: 'Required for cloud space; ignored in requests of a watch' })
  familyId?: string;

  @ReferenceField({ optional: true, description: 'Required for a watch plan; ignored in requests of a watch' })
  cid?: string;
}

export class OrderReferenceDto {
  @ReferenceField({ example: '3f1d6f0e-1d5f-4a59-9d3e-51c57a3f6f0b' })
  orderId: string;
}

export class PayOrderDto extends OrderReferenceDto {
  @EnumField(PAYMENT_PROVIDER, { optional: true, description: 'The first provider of `product/list` by default' })
  provider?: PaymentProviderName;
}

export class OrderListQueryDto extends PageQueryDto {
  @ReferenceField()
  familyId: string;
}

export class EntitlementListQueryDto {
  @ReferenceField()
  familyId: string;
}

export class OrderDto extends ProductDto {
  @ReferenceField()
  orderId: string;

  @ReferenceField()
  familyId: string;

  @ReferenceField({ nullable: true, description: 'Child whom the order is for or whose watch created the order' })
  cid: string | null;

  @StringField({ nullable: true, description: 'Principal that created the order; null after the account was erased' })
  by: PrincipalKey | null;

  @EnumField(ORDER_STATE)
  state: OrderState;

  @EnumField(PAYMENT_PROVIDER, { nullable: true, description: 'null until a member begins the payment' })
  provider: PaymentProviderName | null;

  @UnixMillisecondsField()
  createdAt: number;

  @UnixMillisecondsField({ description: 'The order can be paid until this time' })
  expiresAt: number;

  @UnixMillisecondsField({ description: 'Time of the last change of state' })
  changedAt: number;

  @UnixMillisecondsField({ nullable: true })
  paidAt: number | null;
}

export class OrderListDto {
  @NestedListField(() => OrderDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: OrderDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

export class CheckoutDto {
  @ReferenceField()
  orderId: string;

  @EnumField(ORDER_STATE)
  state: OrderState;

  @EnumField(PAYMENT_PROVIDER)
  provider: PaymentProviderName;

  @StringField({
    description: 'URL at which the payer pays: a page to open, or for WeChat Pay a `weixin:` URL to show as a QR code',
  })
  checkoutUrl: string;

  @UnixMillisecondsField({ description: 'The order can be paid until this time' })
  expiresAt: number;
}

export class EntitlementDto {
  @ReferenceField()
  orderId: string;

  @EnumField(PRODUCT_KIND)
  kind: ProductKind;

  @ReferenceField({ nullable: true, description: 'Child of a watch plan; null for cloud space' })
  cid: string | null;

  @IntegerField({ nullable: true, description: 'Bytes by which the cloud grows; null for a watch plan' })
  cloudBytes: number | null;

  @UnixMillisecondsField()
  startsAt: number;

  @UnixMillisecondsField()
  endsAt: number;
}

export class EntitlementListDto {
  @NestedListField(() => EntitlementDto, {
    maxItems: MAX_ENTITLEMENTS_RETURNED,
    description: 'Current and future entitlements in the order of their ends',
  })
  items: EntitlementDto[];
}

export class SetProductDto {
  @StringField({ pattern: PRODUCT_ID_PATTERN, maxLength: 64, example: 'cloud-100gb-month' })
  productId: string;

  @NameField({ maxLength: PRODUCT_LIMITS.titleLength, example: '100 GB for a month' })
  title: string;

  @IntegerField({ min: 1, max: PRODUCT_LIMITS.amount, example: 990, description: 'Price in the minor unit' })
  amount: number;

  @CurrencyField()
  currency: string;

  @IntegerField({
    min: 1,
    max: PRODUCT_LIMITS.cloudBytes,
    optional: true,
    description: 'Bytes by which the cloud grows; omitted for a watch plan',
  })
  cloudBytes?: number;

  @IntegerField({ min: 1, max: PRODUCT_LIMITS.periodDays, example: 30 })
  periodDays: number;
}

export class ProductReferenceDto {
  @ReferenceField({ example: 'cloud-100gb-month' })
  productId: string;
}

/** A product with its state, for operators. */
export class OperatorProductDto extends ProductDto {
  @UnixMillisecondsField()
  changedAt: number;

  @UnixMillisecondsField({ nullable: true, description: 'Null while the product is on sale' })
  retiredAt: number | null;
}

export class OperatorProductPageDto {
  @NestedListField(() => OperatorProductDto, { maxItems: MAX_PAGE_LIMIT })
  items: OperatorProductDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor: string | null;
}

export class AllOrdersQueryDto extends PageQueryDto {
  @ReferenceField({ optional: true, description: 'Returns only orders of this family' })
  familyId?: string;

  @EnumField(ORDER_STATE, { optional: true, description: 'Returns only orders in this state' })
  state?: OrderState;
}
