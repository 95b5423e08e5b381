import { In, LessThanOrEqual } from 'typeorm';
import { SandboxPaymentEntity } from '@family-watch/domain/payments/entities/payment.entities';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A payment of the sandbox. Times are Unix milliseconds. */
export type SandboxPayment = SandboxPaymentEntity;

/** Stores the payments of the sandbox provider. */
export class SandboxPaymentRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async addIfAbsent(payment: Pick<SandboxPayment, 'orderId' | 'title' | 'amount' | 'currency'>): Promise<void> {
    await insertIfAbsent(this.payments, { ...payment, state: 'WAITING' });
  }

  find(orderId: string): Promise<SandboxPayment | null> {
    return this.payments.findOneBy({ orderId });
  }

  /** Applies what the payer chose. Returns the payment, or null unless it was waiting. */
  async decide(
    orderId: string,
    { state, paysAt }: Pick<SandboxPayment, 'state' | 'paysAt'>,
  ): Promise<SandboxPayment | null> {
    const { affected } = await this.payments.update({ orderId, state: 'WAITING' }, { state, paysAt });
    return affected === 1 ? this.find(orderId) : null;
  }

  /** Pays a delayed payment whose time has come. */
  async payDelayed(orderId: string, now: number): Promise<void> {
    await this.payments.update({ orderId, state: 'DELAYED', paysAt: LessThanOrEqual(now) }, { state: 'PAID' });
  }

  async close(orderId: string): Promise<void> {
    await this.payments.update({ orderId, state: In(['WAITING', 'DELAYED']) }, { state: 'CLOSED' });
  }

  async refund(orderId: string): Promise<void> {
    await this.payments.update({ orderId }, { state: 'REFUNDED' });
  }

  private get payments() {
    return this.unitOfWork.manager.getRepository(SandboxPaymentEntity);
  }
}
