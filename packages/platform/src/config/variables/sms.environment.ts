import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength } from 'class-validator';
import { SMS_SCENES } from '@family-watch/domain/accounts/contracts/account';
import { SMS_LANGUAGES, SMS_PROVIDER_NAMES, type SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toInteger } from './text-values.js';

/** `+86=aliyun,+1=twilio`: providers by country calling code. */
const SMS_ROUTE_LIST = new RegExp(`^(\\+\\d{1,4}=(${SMS_PROVIDER_NAMES.join('|')})(,|$))+$`);
/** `+86,+1=500,+7=0`: SMS codes per hour by country calling code; a calling code alone has no limit of its own. */
const SMS_COUNTRY_LIMIT_LIST = /^(\+\d{1,4}(=\d{1,9})?(,|$))+$/;
/** `CODE.zh=SMS_1,ALERT.zh=SMS_2`: ids of registered templates by scene and language. */
const SMS_TEMPLATE_LIST = new RegExp(
  `^((CODE|ALERT|${Object.keys(SMS_SCENES).join('|')})\\.(${SMS_LANGUAGES.join('|')})=[\\w-]{1,64}(,|$))+$`,
);

/** SMS providers. The start of userctx checks which variables a provider requires, because only userctx sends SMS. */
export class SmsEnvironment {
  /**
   * The provider of SMS. `file` appends each SMS to DATA_DIR/sms-outbox.jsonl; the others need the variables with their
   * name: SMS_ALIYUN_…, SMS_TENCENTCLOUD_…, SMS_TWILIO_…, SMS_WEBHOOK_….
   */
  @SetBy('every operator')
  @IsIn(SMS_PROVIDER_NAMES)
  SMS_PROVIDER: SmsProviderName = 'file';

  /** The provider that sends an SMS if the first provider does not accept it. */
  @SetBy('large operators')
  @IsOptional()
  @IsIn(SMS_PROVIDER_NAMES.filter((name) => name !== 'file'))
  SMS_FALLBACK_PROVIDER?: SmsProviderName;

  /**
   * Another first provider for some country calling codes, such as `+86=aliyun,+852=tencentcloud`. For these codes,
   * SMS_PROVIDER is the second provider unless SMS_FALLBACK_PROVIDER is set.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(SMS_ROUTE_LIST, { message: 'must be a list such as +86=aliyun,+1=twilio' })
  SMS_ROUTES?: string;

  /** `yes` allows SMS_PROVIDER=file with NODE_ENV=production: whoever can read the file can sign in to any account. */
  @SetBy('every operator')
  @IsIn(['no', 'yes'])
  SMS_FILE_IN_PRODUCTION: 'no' | 'yes' = 'no';

  /** Timeout of a request to an SMS provider, milliseconds. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(500)
  @Max(15_000)
  SMS_TIMEOUT = 5_000;

  /**
   * SMS codes per hour by country calling code, such as `+86,+1=500,+7=0`. A calling code without a number has no limit
   * but RATE_LIMIT_SMS_TOTAL; a calling code with 0 gets no codes. RATE_LIMIT_SMS_COUNTRY applies to all others. Alerts
   * have the same limits, counted separately, so the list should contain the countries of your families.
   */
  @SetBy('every operator')
  @Matches(SMS_COUNTRY_LIMIT_LIST, { message: 'must be a list such as +86,+1=500,+7=0' })
  SMS_COUNTRY_LIMITS = '+86';

  /**
   * Secret last segment of the URLs to which Alibaba Cloud and Tencent Cloud send delivery receipts, which have no
   * signature; at least 32 characters. Without it, their receipts are rejected.
   */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^[\w-]{32,128}$/, { message: 'must have 32 to 128 letters, digits, - or _' })
  SMS_RECEIPT_TOKEN?: string;

  /** Access key of an Alibaba Cloud user that may send SMS. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_ALIYUN_ACCESS_KEY_ID?: string;

  /** Secret of SMS_ALIYUN_ACCESS_KEY_ID. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_ALIYUN_ACCESS_KEY_SECRET?: string;

  /** Name of the approved signature. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_ALIYUN_SIGN_NAME?: string;

  /**
   * Ids of the approved templates by scene and language, such as `CODE.zh=SMS_1,CODE.en=SMS_2,ALERT.zh=SMS_3`. CODE is
   * for codes of all scenes; SIGN_UP, SIGN_IN, RESET_PASSWORD, CHANGE_PHONE and STEP_UP replace it for one scene. The
   * variable of a template is `code`, or `time` for ALERT.
   */
  @SetBy('every operator')
  @IsOptional()
  @Matches(SMS_TEMPLATE_LIST, { message: 'must be a list such as CODE.zh=SMS_1,ALERT.zh=SMS_2' })
  SMS_ALIYUN_TEMPLATES?: string;

  /** Host of Alibaba Cloud's SMS service. */
  @SetBy('every operator')
  @Matches(/^[\w.-]+$/)
  SMS_ALIYUN_ENDPOINT = 'dysmsapi.aliyuncs.com';

  /** Id of a Tencent Cloud API key that may send SMS. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SECRET_ID?: string;

  /** Key of SMS_TENCENTCLOUD_SECRET_ID. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SECRET_KEY?: string;

  /** SdkAppId of the application in the SMS console. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^\d+$/, { message: 'must be the number of the application (SdkAppId)' })
  SMS_TENCENTCLOUD_APP_ID?: string;

  /** Content of the approved signature. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_TENCENTCLOUD_SIGN_NAME?: string;

  /** Like SMS_ALIYUN_TEMPLATES. A template has one variable: {1} is the code, or the time for ALERT. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(SMS_TEMPLATE_LIST, { message: 'must be a list such as CODE.zh=1400001,ALERT.zh=1400002' })
  SMS_TENCENTCLOUD_TEMPLATES?: string;

  /** Region of Tencent Cloud's SMS service. */
  @SetBy('every operator')
  @Matches(/^[a-z]+-[a-z]+$/)
  SMS_TENCENTCLOUD_REGION = 'ap-guangzhou';

  /** SID of the Twilio account. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^AC\w{32}$/, { message: 'must be an account SID (AC and 32 characters)' })
  SMS_TWILIO_ACCOUNT_SID?: string;

  /** Token of the Twilio account; also verifies delivery receipts. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  SMS_TWILIO_AUTH_TOKEN?: string;

  /** Phone number with + of the sender, or SID of a messaging service. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(/^(\+\d{5,15}|MG\w{32})$/, { message: 'must be a phone number with + or the SID of a messaging service' })
  SMS_TWILIO_FROM?: string;

  /** URL that receives each SMS as a signed POST request (docs/sms.md). */
  @SetBy('every operator')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  SMS_WEBHOOK_URL?: string;

  /** Key of the signatures of the webhook and of its receipts; at least 32 characters. */
  @SetBy('every operator')
  @IsOptional()
  @MinLength(32)
  SMS_WEBHOOK_SECRET?: string;
}
