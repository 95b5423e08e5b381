import { IsIn, IsOptional, IsString, IsUrl, Matches, MinLength, ValidateIf } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS } from './text-values.js';

/** Payment providers outside the service, which send callbacks to PUBLIC_URL. */
const EXTERNAL_PROVIDERS = ['wechatpay', 'alipay', 'stripe'];

/** Accepts the listed names, separated by commas. */
const PAYMENT_PROVIDERS = /^(sandbox|wechatpay|alipay|stripe)(,(sandbox|wechatpay|alipay|stripe))*$/;

/** Returns whether a payment provider is used that sends callbacks to PUBLIC_URL. */
export function usesExternalProvider(environment: PaymentEnvironment): boolean {
  return EXTERNAL_PROVIDERS.some((name) => usesProvider(environment, name));
}

/** Validates a variable that PAYMENT_PROVIDER requires if it lists the provider. The variable may always be set. */
function RequiredWithProvider(provider: string): PropertyDecorator {
  return (target, property) =>
    ValidateIf(
      (environment: PaymentEnvironment, value: unknown) => value !== undefined || usesProvider(environment, provider),
    )(target, property);
}

function usesProvider({ PAYMENT_PROVIDER = '' }: PaymentEnvironment, provider: string): boolean {
  return PAYMENT_PROVIDER.split(',').includes(provider);
}

/** Payment providers. */
export class PaymentEnvironment {
  /**
   * Comma-separated payment providers, the default provider first: `sandbox` (a page that pays without money),
   * `wechatpay`, `alipay`, `stripe`. By default, production has no provider, so that orders cannot be paid; other
   * environments have the sandbox. The providers except the sandbox require PUBLIC_URL.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(PAYMENT_PROVIDERS, { message: 'must be comma-separated names of sandbox, wechatpay, alipay and stripe' })
  PAYMENT_PROVIDER?: string;

  /** `yes` permits the sandbox in production, where everybody could then pay without money. */
  @SetBy('developers')
  @ValidateIf(
    (environment: PaymentEnvironment & { NODE_ENV: string }, value: unknown) =>
      value !== 'no' || (environment.NODE_ENV === 'production' && usesProvider(environment, 'sandbox')),
  )
  @IsIn(['yes'], { message: 'must be yes to use the payment provider sandbox in production' })
  PAYMENT_SANDBOX_IN_PRODUCTION: 'yes' | 'no' = 'no';

  /** URL of the page that the payment provider opens after the payment; PUBLIC_URL by default. */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  PAYMENT_RETURN_URL?: string;

  /** Secret key of the Stripe account; required with `stripe`, as is STRIPE_WEBHOOK_SECRET. */
  @SetBy('large operators')
  @RequiredWithProvider('stripe')
  @Matches(/^[sr]k_\w+$/, { message: 'must be a secret key of Stripe' })
  STRIPE_SECRET_KEY?: string;

  /** Secret with which Stripe signs callbacks to `/apis/v2/payment/notify/stripe`. */
  @SetBy('large operators')
  @RequiredWithProvider('stripe')
  @Matches(/^whsec_\S+$/, { message: 'must be the signing secret of a webhook endpoint of Stripe' })
  STRIPE_WEBHOOK_SECRET?: string;

  /** Merchant id of WeChat Pay; required with `wechatpay`, as are the following variables up to the API v3 key. */
  @SetBy('large operators')
  @RequiredWithProvider('wechatpay')
  @Matches(/^\d{8,10}$/)
  WECHATPAY_MERCHANT_ID?: string;

  /** App id to which the merchant id is bound. */
  @SetBy('large operators')
  @RequiredWithProvider('wechatpay')
  @Matches(/^\w{1,32}$/)
  WECHATPAY_APP_ID?: string;

  /** File with the merchant's private key (PEM). */
  @SetBy('large operators')
  @RequiredWithProvider('wechatpay')
  @IsString()
  @MinLength(1)
  WECHATPAY_PRIVATE_KEY?: string;

  /** Serial number of the merchant's certificate. */
  @SetBy('large operators')
  @RequiredWithProvider('wechatpay')
  @Matches(/^[0-9A-Fa-f]{8,64}$/)
  WECHATPAY_CERTIFICATE_SERIAL?: string;

  /** API v3 key, which decrypts callbacks. */
  @SetBy('large operators')
  @RequiredWithProvider('wechatpay')
  @Matches(/^[\x21-\x7e]{32}$/, { message: 'must have 32 printable characters' })
  WECHATPAY_API_V3_KEY?: string;

  /**
   * File with WeChat Pay's public key (PEM), for merchants that have no platform certificates. Needs
   * WECHATPAY_PUBLIC_KEY_ID. Without it, the service downloads and replaces the platform certificates.
   */
  @SetBy('large operators')
  @IsOptional()
  @IsString()
  @MinLength(1)
  WECHATPAY_PUBLIC_KEY?: string;

  /** Id of WECHATPAY_PUBLIC_KEY; required with it. */
  @SetBy('large operators')
  @ValidateIf(({ WECHATPAY_PUBLIC_KEY }: PaymentEnvironment) => WECHATPAY_PUBLIC_KEY !== undefined)
  @Matches(/^PUB_KEY_ID_\w+$/)
  WECHATPAY_PUBLIC_KEY_ID?: string;

  /** App id of Alipay; required with `alipay`, as are both keys. */
  @SetBy('large operators')
  @RequiredWithProvider('alipay')
  @Matches(/^\d{1,32}$/)
  ALIPAY_APP_ID?: string;

  /** File with the app's private key (PEM). */
  @SetBy('large operators')
  @RequiredWithProvider('alipay')
  @IsString()
  @MinLength(1)
  ALIPAY_PRIVATE_KEY?: string;

  /** File with Alipay's public key for the app (PEM). */
  @SetBy('large operators')
  @RequiredWithProvider('alipay')
  @IsString()
  @MinLength(1)
  ALIPAY_PUBLIC_KEY?: string;

  /** URL of Alipay's API, for its test environment or a proxy. */
  @SetBy('developers')
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  ALIPAY_GATEWAY_URL = 'https://openapi.alipay.com/gateway.do';
}
