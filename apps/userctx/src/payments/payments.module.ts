import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamiliesModule } from '../families/families.module.js';
import { AllOrdersController } from './all-orders.controller.js';
import { EntitlementRepository } from './entitlement.repository.js';
import { EntitlementsService } from './entitlements.service.js';
import { OrderRepository } from './order.repository.js';
import { OrderSettlementService } from './order-settlement.service.js';
import { OrderTransitionsService } from './order-transitions.service.js';
import { OrdersService } from './orders.service.js';
import { PaymentCallbacksController } from './payment-callbacks.controller.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentsEventHandlers } from './payments.event-handlers.js';
import { ProductRepository } from './product.repository.js';
import { ProductsController } from './products.controller.js';
import { ProductsService } from './products.service.js';
import { createPaymentProviders } from './providers/create-payment-providers.js';
import { PaymentProviders } from './providers/payment-providers.js';
import { SandboxController } from './sandbox.controller.js';

/**
 * Products, orders, payments by external providers, and what families have paid for.
 *
 * - Parts: `providers/` (Stripe, WeChat Pay, Alipay, sandbox).
 * - Tables: `entitlement`, `entitlement_version`, `payment_callback`, `payment_order`, `payment_product`,
 *   `sandbox_payment`.
 * - Publishes: `userctx.entitlement.changed`, `userctx.order.changed`.
 * - Needs: families.
 */
@Module({
  imports: [FamiliesModule],
  controllers: [
    PaymentsController,
    PaymentCallbacksController,
    ProductsController,
    AllOrdersController,
    SandboxController,
  ],
  providers: [
    EntitlementRepository,
    EntitlementsService,
    OrderRepository,
    OrderSettlementService,
    OrderTransitionsService,
    OrdersService,
    PaymentsEventHandlers,
    ProductRepository,
    ProductsService,
    { provide: PaymentProviders, useFactory: createPaymentProviders, inject: [Environment, UserctxUnitOfWork] },
  ],
  exports: [EntitlementsService, OrdersService],
})
export class PaymentsModule {}
