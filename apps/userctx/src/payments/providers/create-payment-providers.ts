import { readFile } from 'node:fs/promises';
import { PAYMENT_PROVIDER, type PaymentProviderName } from '@family-watch/domain/payments/contracts/payment';
import type { Environment } from '@family-watch/platform/config/environment';
import type { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { PaymentProvider } from './payment-provider.js';
import { PaymentProviders, providerNames } from './payment-providers.js';
import { SandboxProvider } from './sandbox.provider.js';

/** Creates the configured providers. Loads the library of a provider only if the provider is configured. */
export async function createPaymentProviders(
  environment: Environment,
  unitOfWork: UserctxUnitOfWork,
): Promise<PaymentProviders> {
  const names = providerNames(environment);
  return new PaymentProviders(await Promise.all(names.map((name) => CREATE[name](environment, unitOfWork))));
}

type CreateProvider = (environment: Environment, unitOfWork: UserctxUnitOfWork) => Promise<PaymentProvider>;

/** The environment was validated: the variables that a provider requires are set. */
const CREATE: Readonly<Record<PaymentProviderName, CreateProvider>> = {
  [PAYMENT_PROVIDER.SANDBOX]: ({ SECRET_KEY: secretKey }, unitOfWork) =>
    Promise.resolve(new SandboxProvider(unitOfWork, required(secretKey))),

  [PAYMENT_PROVIDER.STRIPE]: async (environment) => {
    const { StripeProvider } = await import('./stripe.provider.js');
    return new StripeProvider({
      secretKey: required(environment.STRIPE_SECRET_KEY),
      webhookSecret: required(environment.STRIPE_WEBHOOK_SECRET),
      returnUrl: returnUrlOf(environment),
    });
  },

  [PAYMENT_PROVIDER.WECHATPAY]: async (environment) => {
    const { WechatPayProvider } = await import('./wechatpay.provider.js');
    const { WECHATPAY_PUBLIC_KEY: publicKeyFile, WECHATPAY_PUBLIC_KEY_ID: id } = environment;
    const publicKey =
      publicKeyFile !== undefined && id !== undefined ? { id, pem: await readFile(publicKeyFile, 'utf8') } : undefined;
    return new WechatPayProvider({
      merchantId: required(environment.WECHATPAY_MERCHANT_ID),
      appId: required(environment.WECHATPAY_APP_ID),
      publicUrl: publicUrlOf(environment),
      privateKey: await readFile(required(environment.WECHATPAY_PRIVATE_KEY), 'utf8'),
      certificateSerial: required(environment.WECHATPAY_CERTIFICATE_SERIAL),
      apiV3Key: required(environment.WECHATPAY_API_V3_KEY),
      publicKey,
    });
  },

  [PAYMENT_PROVIDER.ALIPAY]: async (environment) => {
    const { AlipayProvider } = await import('./alipay.provider.js');
    return new AlipayProvider({
      appId: required(environment.ALIPAY_APP_ID),
      publicUrl: publicUrlOf(environment),
      privateKey: await readFile(required(environment.ALIPAY_PRIVATE_KEY), 'utf8'),
      alipayPublicKey: await readFile(required(environment.ALIPAY_PUBLIC_KEY), 'utf8'),
      returnUrl: returnUrlOf(environment),
      gatewayUrl: environment.ALIPAY_GATEWAY_URL,
    });
  },
};

function returnUrlOf({ PAYMENT_RETURN_URL, PUBLIC_URL }: Environment): string {
  return PAYMENT_RETURN_URL ?? required(PUBLIC_URL);
}

/** Callbacks go to PUBLIC_URL, whatever host the payer uses: a provider cannot reach an address of the payer's network. */
function publicUrlOf({ PUBLIC_URL }: Environment): string {
  return required(PUBLIC_URL).replace(/\/+$/, '');
}

function required(value: string | undefined): string {
  if (value === undefined) throw new Error('A variable of the payment provider is missing');
  return value;
}
