import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { OrderState, PaymentProviderName, ProductKind } from '../contracts/payment.js';

const KIND_CHECK = `(kind = 'CLOUD_SPACE' AND cloud_bytes > 0) OR (kind = 'WATCH_PLAN' AND cloud_bytes IS NULL)`;

/**
 * What a family can buy. The operator sets products; without a product, nothing is for sale. Amounts are in the minor
 * unit of the currency (ISO 4217), sizes in bytes, times in Unix milliseconds.
 */
@Entity({ name: 'payment_product', schema: 'userctx' })
@Check('payment_product_kind_check', KIND_CHECK)
@Check('payment_product_price_check', `amount > 0 AND period_days > 0`)
export class PaymentProductEntity {
  /** Chosen by the operator. */
  @PrimaryColumn({ name: 'product_id', type: 'text', primaryKeyConstraintName: 'payment_product_pkey' })
  productId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: ProductKind;

  @Column({ name: 'title', type: 'text' })
  title: string;

  @Column({ name: 'amount', type: 'bigint' })
  amount: number;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  /** Size by which the product enlarges the cloud; null for a watch plan. */
  @Column({ name: 'cloud_bytes', type: 'bigint', nullable: true })
  cloudBytes: number | null;

  @Column({ name: 'period_days', type: 'integer' })
  periodDays: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  /** When the operator took the product off sale; null while it is on sale. */
  @Column({ name: 'retired_at', type: 'bigint', nullable: true })
  retiredAt: number | null;
}

/**
 * An order. Product, price, currency and beneficiary are copied at creation and never change. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'payment_order', schema: 'userctx' })
@Check('payment_order_kind_check', KIND_CHECK)
@Check('payment_order_price_check', `amount > 0 AND period_days > 0`)
@Check(
  'payment_order_state_check',
  `state IN ('CREATED', 'PENDING', 'PAID', 'FULFILLED', 'FAILED', 'CLOSED', 'REFUNDING', 'REFUNDED')`,
)
@Index('payment_order_age', ['createdAt'], { where: `state IN ('FAILED', 'CLOSED')` })
@Index('payment_order_by', ['by'])
@Index('payment_order_created', ['createdAt', 'orderId'])
@Index('payment_order_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('payment_order_of_child', ['cid'], { where: 'cid IS NOT NULL' })
@Index('payment_order_of_family', { synchronize: false })
@Index('payment_order_payer', ['payerUserId'], { where: 'payer_user_id IS NOT NULL' })
@Index('payment_order_state', ['state', 'createdAt', 'orderId'])
export class PaymentOrderEntity {
  @PrimaryColumn({ name: 'order_id', type: 'uuid', primaryKeyConstraintName: 'payment_order_pkey' })
  orderId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The child whom the order is for or whose watch created the order; null for an order of the family. */
  @Column({ name: 'cid', type: 'uuid', nullable: true })
  cid: string | null;

  /** The principal that created the order; null after the account was erased. */
  @Column({ name: 'by', type: 'text', nullable: true })
  by: PrincipalKey | null;

  /** The member who began the payment. */
  @Column({ name: 'payer_user_id', type: 'uuid', nullable: true })
  payerUserId: string | null;

  @Column({ name: 'product_id', type: 'text' })
  productId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: ProductKind;

  @Column({ name: 'title', type: 'text' })
  title: string;

  @Column({ name: 'amount', type: 'bigint' })
  amount: number;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'cloud_bytes', type: 'bigint', nullable: true })
  cloudBytes: number | null;

  @Column({ name: 'period_days', type: 'integer' })
  periodDays: number;

  @Column({ name: 'state', type: 'text' })
  state: OrderState;

  /** The provider that the payer chose; null until a member begins the payment. */
  @Column({ name: 'provider', type: 'text', nullable: true })
  provider: PaymentProviderName | null;

  /** The provider's id of the checkout, if the provider finds the payment by it. */
  @Column({ name: 'provider_ref', type: 'text', nullable: true })
  providerRef: string | null;

  /** The provider's id of the payment. */
  @Column({ name: 'payment_ref', type: 'text', nullable: true })
  paymentRef: string | null;

  @Column({ name: 'checkout_url', type: 'text', nullable: true })
  checkoutUrl: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Time until which the order can be paid. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  @Column({ name: 'paid_at', type: 'bigint', nullable: true })
  paidAt: number | null;

  /** When the reconciliation processes the order next; null while there is nothing to do. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;

  /** Number of times that the reconciliation has claimed the order in its state. */
  @Column({ name: 'attempts', type: 'integer', default: 0 })
  attempts: number;
}

/** A callback of a provider that was processed, so that a repetition is answered without work. */
@Entity({ name: 'payment_callback', schema: 'userctx' })
@Index('payment_callback_age', ['receivedAt'])
export class PaymentCallbackEntity {
  @PrimaryColumn({ name: 'provider', type: 'text', primaryKeyConstraintName: 'payment_callback_pkey' })
  provider: PaymentProviderName;

  @PrimaryColumn({ name: 'callback_id', type: 'text', primaryKeyConstraintName: 'payment_callback_pkey' })
  callbackId: string;

  /** Unix milliseconds. */
  @Column({ name: 'received_at', type: 'bigint' })
  receivedAt: number;
}

/** What a paid order gives the family, for a period. Times are Unix milliseconds. */
@Entity({ name: 'entitlement', schema: 'userctx' })
@Check('entitlement_period_check', 'ends_at > starts_at')
@Index('entitlement_of_family', ['familyId', 'endsAt'])
@Index('entitlement_ended', ['endsAt'])
export class EntitlementEntity {
  @PrimaryColumn({ name: 'order_id', type: 'uuid', primaryKeyConstraintName: 'entitlement_pkey' })
  orderId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The child of a watch plan; null for cloud space. */
  @Column({ name: 'cid', type: 'uuid', nullable: true })
  cid: string | null;

  @Column({ name: 'product_id', type: 'text' })
  productId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: ProductKind;

  @Column({ name: 'cloud_bytes', type: 'bigint', nullable: true })
  cloudBytes: number | null;

  @Column({ name: 'starts_at', type: 'bigint' })
  startsAt: number;

  @Column({ name: 'ends_at', type: 'bigint' })
  endsAt: number;
}

/** Version of a family's entitlements, and when an entitlement begins or ends next. */
@Entity({ name: 'entitlement_version', schema: 'userctx' })
@Index('entitlement_version_due', ['nextChangeAt'], { where: 'next_change_at IS NOT NULL' })
export class EntitlementVersionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'entitlement_version_pkey' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'next_change_at', type: 'bigint', nullable: true })
  nextChangeAt: number | null;
}

/** A payment in the sandbox, which takes the place of a provider's own records. Times are Unix milliseconds. */
@Entity({ name: 'sandbox_payment', schema: 'userctx' })
@Check('sandbox_payment_state_check', `state IN ('WAITING', 'DELAYED', 'PAID', 'REFUSED', 'CLOSED', 'REFUNDED')`)
export class SandboxPaymentEntity {
  @ForeignKey(() => PaymentOrderEntity, { name: 'sandbox_payment_order_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ name: 'order_id', type: 'uuid', primaryKeyConstraintName: 'sandbox_payment_pkey' })
  orderId: string;

  @Column({ name: 'title', type: 'text' })
  title: string;

  @Column({ name: 'amount', type: 'bigint' })
  amount: number;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'state', type: 'text' })
  state: 'WAITING' | 'DELAYED' | 'PAID' | 'REFUSED' | 'CLOSED' | 'REFUNDED';

  /** When a delayed payment is paid. */
  @Column({ name: 'pays_at', type: 'bigint', nullable: true })
  paysAt: number | null;
}
