import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  ORDER_LIMITS,
  ORDER_STATE,
  ORDER_TTL_MS,
  PAYMENT_TTL_MS,
  PRODUCT_KIND,
  REFUND_WINDOW_MS,
  type PaymentProviderName,
  type ProductKind,
} from '@family-watch/domain/payments/contracts/payment';
import type {
  AllOrdersQueryDto,
  CheckoutDto,
  CreateOrderDto,
  OrderDto,
  OrderListQueryDto,
  PayOrderDto,
  ProductDto,
  ProductListDto,
} from '@family-watch/domain/payments/dto/payment.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { Semaphore, isBusyReason } from '@family-watch/platform/concurrency/semaphore';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService, type FamilyMemberAccess } from '../families/family-access.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { EntitlementRepository } from './entitlement.repository.js';
import { EntitlementsService } from './entitlements.service.js';
import { OrderRepository, type Order } from './order.repository.js';
import { OrderSettlementService, RECONCILIATION_JOB } from './order-settlement.service.js';
import { pauseMs } from './order-state.js';
import { OrderTransitionsService } from './order-transitions.service.js';
import { ProductRepository } from './product.repository.js';
import type { PaymentProvider } from './providers/payment-provider.js';
import { PaymentProviders } from './providers/payment-providers.js';

const DAY_MS = 24 * 3_600_000;

/** Whom an order is for. `cid` is also the child whose watch created the order. */
interface Beneficiary {
  familyId: string;
  cid: string | null;
}

/**
 * Orders of families. Owner and guardians buy; an order for a child, and an order that the child's watch created, is
 * paid only by a member with the permission for this child. A watch creates orders only as requests to the guardians.
 */
@Injectable()
export class OrdersService {
  private readonly logger = new Logger(OrdersService.name);
  /** Limits how many requests of callers wait for a provider. */
  private readonly requests = new Semaphore({
    caller: { running: 16, waiting: 64, perOwner: { running: 2, waiting: 4 } },
  });

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly products: ProductRepository,
    private readonly orders: OrderRepository,
    private readonly transitions: OrderTransitionsService,
    private readonly settlement: OrderSettlementService,
    private readonly entitlements: EntitlementsService,
    private readonly entitlementRepository: EntitlementRepository,
    private readonly providers: PaymentProviders,
    private readonly jobs: JobScheduler,
  ) {}

  async listProducts(): Promise<ProductListDto> {
    return { items: (await this.products.findOnSale()).map(toProductDto), providers: this.providers.names };
  }

  /**
   * Creates an order with the present price.
   * @throws ServiceError PRODUCT_NOT_FOUND, LIMIT_REACHED
   * @throws ServiceError FAMILY_NOT_FOUND, CHILD_NOT_FOUND, PERMISSION_MISSING for a member; WATCH_UNBOUND for a watch
   * @throws ServiceError VALIDATION_FAILED without the family or child that the product needs
   */
  create(caller: Principal, request: CreateOrderDto): Promise<OrderDto> {
    return this.unitOfWork.run(async () => {
      const product = await this.products.findOneOnSale(request.productId);
      if (!product) throw new ServiceError('PRODUCT_NOT_FOUND');
      const { familyId, cid } = await this.findBeneficiary(caller, product.kind, request);
      const createdAt = Date.now();
      const by = principalKey(caller);
      const since = createdAt - DAY_MS;
      if ((await this.orders.countByFamily(familyId, since)) >= ORDER_LIMITS.perFamilyAndDay)
        throw new ServiceError('LIMIT_REACHED');
      if (caller.type === 'watch' && (await this.orders.countByCreator(by, since)) >= ORDER_LIMITS.perWatchAndDay)
        throw new ServiceError('LIMIT_REACHED');
      const { productId, kind, title, amount, currency, cloudBytes, periodDays } = product;
      const content = { productId, kind, title, amount, currency, cloudBytes, periodDays };
      const times = { createdAt, expiresAt: createdAt + ORDER_TTL_MS };
      return toOrderDto(
        await this.transitions.create({ orderId: randomUUID(), familyId, cid, by, ...content, ...times }),
      );
    });
  }

  /**
   * Begins the payment of an order, and returns where the payer pays. Idempotent while the order waits for its payment.
   * @param baseUrl - base of the service's public URLs, without a trailing slash
   * @throws ServiceError ORDER_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError ORDER_STATE unless the order can be paid with this provider
   * @throws ServiceError PAYMENT_UNAVAILABLE if the provider fails, does not support the currency or is not configured
   */
  async pay(payer: Principal, { orderId, provider }: PayOrderDto, baseUrl: string): Promise<CheckoutDto> {
    const order = await this.unitOfWork.run(() => this.beginPayment(payer, orderId, provider));
    if (order.state === ORDER_STATE.PENDING) return toCheckoutDto(order);
    const started = await this.requestOf(order, (chosen) => chosen.startPayment(order, baseUrl));
    const now = Date.now();
    const dueAt = Math.min(now + pauseMs(1), order.expiresAt);
    const pending = await this.unitOfWork.run(() =>
      this.transitions.apply(orderId, 'START', { ...started, time: now, dueAt }),
    );
    // A concurrent request may have begun the payment, or the callback may have arrived.
    const current = pending ?? (await this.orders.find(orderId));
    if (!current?.checkoutUrl) throw new ServiceError('ORDER_STATE');
    return toCheckoutDto(current);
  }

  /** @throws ServiceError ORDER_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, orderId: string): Promise<OrderDto> {
    if (caller.type !== 'watch') return toOrderDto((await this.getForMember(caller, orderId)).order);
    const order = isUuid(orderId) ? await this.orders.find(orderId) : null;
    const link = await this.roster.findChildOfWatch(Number(caller.id));
    if (!order || order.by !== principalKey(caller) || order.cid !== link?.cid)
      throw new ServiceError('ORDER_NOT_FOUND');
    return toOrderDto(order);
  }

  /**
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async list(caller: Principal, query: OrderListQueryDto): Promise<Page<OrderDto>> {
    const requestedPage = decodeTimePage(query);
    const { familyId } = await this.access.requireForFamily(caller, query.familyId, 'BUY');
    const page = await this.orders.findPage(familyId, requestedPage);
    return { ...page, items: page.items.map(toOrderDto) };
  }

  /**
   * For operators: the orders of all families, or of one.
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async listAll({ familyId, state, ...query }: AllOrdersQueryDto): Promise<Page<OrderDto>> {
    const requestedPage = decodeTimePage(query);
    if (familyId !== undefined && !isUuid(familyId)) return { items: [], nextCursor: null };
    const filter = { ...(familyId !== undefined && { familyId }), ...(state && { state }) };
    const page = await this.orders.findPageOfAll(filter, requestedPage);
    return { ...page, items: page.items.map(toOrderDto) };
  }

  /**
   * Cancels an order that was not paid. Idempotent. If the provider has received the payment meanwhile, the order is
   * returned as paid.
   * @throws ServiceError ORDER_NOT_FOUND, PERMISSION_MISSING, PAYMENT_UNAVAILABLE
   * @throws ServiceError ORDER_STATE, also while the provider processes a payment that the payer has made
   */
  async close(caller: Principal, orderId: string): Promise<OrderDto> {
    const { order } = await this.getForMember(caller, orderId);
    if (order.state === ORDER_STATE.CREATED || order.state === ORDER_STATE.PENDING) {
      const isClosed = await (order.provider === null
        ? this.settlement.close(order, Date.now())
        : this.requestOf(order, () => this.settlement.close(order, Date.now())));
      if (!isClosed) throw new ServiceError('ORDER_STATE');
    } else if (order.state !== ORDER_STATE.CLOSED) {
      throw new ServiceError('ORDER_STATE');
    }
    return toOrderDto((await this.orders.find(orderId)) ?? order);
  }

  /**
   * Returns a paid order: ends what the order gave the family, and refunds the payment. Idempotent. The owner may return
   * every order, a guardian the orders that the guardian has paid.
   * @throws ServiceError ORDER_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError ORDER_STATE for an order that was not paid, was paid more than 14 days ago or was used to its end
   */
  refund(caller: Principal, orderId: string): Promise<OrderDto> {
    return this.unitOfWork.run(async () => {
      const { order, member } = await this.getForMember(caller, orderId);
      if (order.paidAt === null) throw new ServiceError('ORDER_STATE');
      if (member.role !== FAMILY_ROLE.OWNER && order.payerUserId !== caller.id)
        throw new ServiceError('PERMISSION_MISSING');
      if (order.state === ORDER_STATE.REFUNDING || order.state === ORDER_STATE.REFUNDED) return toOrderDto(order);
      const time = Date.now();
      if (time > order.paidAt + REFUND_WINDOW_MS) throw new ServiceError('ORDER_STATE');
      const entitlement = await this.entitlementRepository.find(orderId);
      if (entitlement && entitlement.endsAt <= time) throw new ServiceError('ORDER_STATE');
      const refunding = await this.transitions.apply(orderId, 'REFUND', { time, dueAt: time });
      if (!refunding) throw new ServiceError('ORDER_STATE');
      await this.entitlements.revoke(orderId, time);
      this.unitOfWork.afterCommit(() => this.jobs.trigger(RECONCILIATION_JOB));
      return toOrderDto(refunding);
    });
  }

  private async findBeneficiary(
    caller: Principal,
    kind: ProductKind,
    { familyId, cid }: CreateOrderDto,
  ): Promise<Beneficiary> {
    if (caller.type === 'watch') {
      const link = await this.roster.findChildOfWatch(Number(caller.id));
      if (!link) throw new ServiceError('WATCH_UNBOUND');
      return link;
    }
    if (kind === PRODUCT_KIND.WATCH_PLAN) {
      if (cid === undefined) throw validationError('cid', 'isString', 'cid is required for a watch plan');
      return this.access.requireForChild(caller, cid, 'BUY_FOR_CHILD');
    }
    if (familyId === undefined) throw validationError('familyId', 'isString', 'familyId is required for cloud space');
    await this.access.requireForFamily(caller, familyId, 'BUY');
    return { familyId, cid: null };
  }

  /** Must be called in a transaction. */
  private async beginPayment(payer: Principal, orderId: string, requested?: PaymentProviderName): Promise<Order> {
    const { order } = await this.getForMember(payer, orderId);
    if (order.cid !== null) {
      const unknownReason = 'ORDER_NOT_FOUND';
      await this.access.requireForChild(payer, order.cid, 'BUY_FOR_CHILD', { unknownReason });
    }
    const now = Date.now();
    const isPayable = order.state === ORDER_STATE.CREATED || order.state === ORDER_STATE.PENDING;
    const isOtherProvider = order.provider !== null && (requested ?? order.provider) !== order.provider;
    if (!isPayable || isOtherProvider || order.expiresAt <= now) throw new ServiceError('ORDER_STATE');
    if (order.provider !== null) return order;
    const provider = this.providers.find(requested ?? this.providers.names[0] ?? null);
    if (!provider?.supportsCurrency(order.currency)) throw new ServiceError('PAYMENT_UNAVAILABLE');
    // Providers require a minimum of time, so that the payment of an old order may end after the order would have.
    const expiresAt = now + PAYMENT_TTL_MS;
    return this.orders.beginPayment(orderId, { provider: provider.name, payerUserId: payer.id, expiresAt });
  }

  /** Returns the order and the caller as member of its family. An order of another family is reported as unknown. */
  private async getForMember(caller: Principal, orderId: string): Promise<{ order: Order } & FamilyMemberAccess> {
    const unknownReason = 'ORDER_NOT_FOUND';
    const found = isUuid(orderId) ? await this.orders.find(orderId) : null;
    if (!found) throw new ServiceError(unknownReason);
    const member = await this.access.requireForFamily(caller, found.familyId, 'BUY', { unknownReason });
    // The order may have changed before the access check locked the family.
    return { ...member, order: (await this.orders.find(orderId)) ?? found };
  }

  /** Sends a request to the provider of an order. @throws ServiceError PAYMENT_UNAVAILABLE if the request fails */
  private async requestOf<Result>(
    order: Order,
    request: (provider: PaymentProvider) => Promise<Result>,
  ): Promise<Result> {
    const { orderId, provider: name } = order;
    const provider = this.providers.find(name);
    if (!provider) throw new ServiceError('PAYMENT_UNAVAILABLE');
    try {
      return await this.requests.run('caller', () => request(provider), { owner: order.familyId });
    } catch (error) {
      // The service itself has too much work and has not called the provider.
      if (error instanceof ServiceError && isBusyReason(error.reason)) throw error;
      this.logger.warn({ msg: 'Request to the payment provider failed', orderId, provider: name, err: error });
      throw new ServiceError('PAYMENT_UNAVAILABLE', { retryAfter: 5, cause: error });
    }
  }
}

function toProductDto(product: ProductDto): ProductDto {
  const { productId, kind, title, amount, currency, cloudBytes, periodDays } = product;
  return { productId, kind, title, amount, currency, cloudBytes, periodDays };
}

function toOrderDto(order: Order): OrderDto {
  const { orderId, familyId, cid, by, state, provider, createdAt, expiresAt, changedAt, paidAt } = order;
  const progress = { state, provider, createdAt, expiresAt, changedAt, paidAt };
  return { orderId, familyId, cid, by, ...toProductDto(order), ...progress };
}

function toCheckoutDto({ orderId, state, provider, checkoutUrl, expiresAt }: Order): CheckoutDto {
  if (provider === null || checkoutUrl === null) throw new ServiceError('ORDER_STATE');
  return { orderId, state, provider, checkoutUrl, expiresAt };
}
