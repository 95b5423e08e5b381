import { PAYMENT_PROVIDER, type PaymentProviderName } from '@family-watch/domain/payments/contracts/payment';
import type { Environment } from '@family-watch/platform/config/environment';
import type { PaymentProvider } from './payment-provider.js';

/** The configured payment providers; the first one is the default for new payments. */
export class PaymentProviders {
  constructor(private readonly providers: readonly PaymentProvider[]) {}

  get names(): PaymentProviderName[] {
    return this.providers.map(({ name }) => name);
  }

  find(name: string | null): PaymentProvider | undefined {
    return this.providers.find((provider) => provider.name === name);
  }
}

/**
 * Returns the names of the providers that PAYMENT_PROVIDER lists. By default, production has no provider, because
 * everybody can pay in the sandbox without money; other environments have the sandbox.
 */
export function providerNames({
  PAYMENT_PROVIDER: names,
  NODE_ENV,
}: Pick<Environment, 'PAYMENT_PROVIDER' | 'NODE_ENV'>): PaymentProviderName[] {
  if (names !== undefined) return [...new Set(names.split(','))] as PaymentProviderName[];
  return NODE_ENV === 'production' ? [] : [PAYMENT_PROVIDER.SANDBOX];
}
