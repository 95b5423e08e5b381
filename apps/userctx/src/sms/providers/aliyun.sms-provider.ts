import dysmsapi from '@alicloud/dysmsapi20170525';
import openApi from '@alicloud/openapi-core';
import { createReceipt, parseReceiptList, shortText } from './receipt-json.js';
import { isReceiptToken } from './receipt-token.js';
import {
  errorCodeOf,
  type OutgoingSms,
  type ReceiptCallback,
  type SmsOutcome,
  type SmsProvider,
  type SmsReceipt,
} from './sms-provider.js';
import type { SmsTemplates } from './sms-templates.js';

export interface AliyunSettings {
  accessKeyId: string;
  accessKeySecret: string;
  signName: string;
  templates: SmsTemplates;
  /** Host of the API, with its port unless it is the default. */
  endpoint: string;
  /** Secret of the URL for receipts. */
  receiptToken?: string;
  timeoutMs: number;
}

/** The number is not a phone number that can receive SMS. */
const REJECTED_CODES = ['isv.MOBILE_NUMBER_ILLEGAL'];
/** Errors of the account, of its permissions or of the API, which concern every SMS. */
const UNAVAILABLE_CODES =
  /^(isv\.(OUT_OF_SERVICE|AMOUNT_NOT_ENOUGH|PRODUCT_UN_SUBSCRIPT|PRODUCT_UNSUBSCRIBE|ACCOUNT_\w+)|isp\.\w+|Throttling.*|InvalidAccessKeyId.*|SignatureDoesNotMatch|ServiceUnavailable|InternalError)$/;

/** Alibaba Cloud Short Message Service, through its library. */
export class AliyunSmsProvider implements SmsProvider {
  readonly name = 'aliyun';
  private readonly client: InstanceType<typeof dysmsapi.default>;

  constructor(
    private readonly settings: AliyunSettings,
    protocol: 'https' | 'http' = 'https',
  ) {
    const { accessKeyId, accessKeySecret, endpoint, timeoutMs } = settings;
    const timeouts = { connectTimeout: timeoutMs, readTimeout: timeoutMs };
    this.client = new dysmsapi.default(
      new openApi.$OpenApiUtil.Config({ accessKeyId, accessKeySecret, endpoint, protocol, ...timeouts }),
    );
  }

  async send({ messageId, message, language, value }: OutgoingSms): Promise<SmsOutcome> {
    const { areaCode, phoneNumber, scene } = message;
    const templateParam = JSON.stringify(scene === 'ALERT' ? { time: value } : { code: value });
    try {
      const { body } = await this.client.sendSms(
        new dysmsapi.SendSmsRequest({
          phoneNumbers: areaCode === '+86' ? phoneNumber : areaCode.slice(1) + phoneNumber,
          signName: this.settings.signName,
          templateCode: this.settings.templates.find(scene, language),
          templateParam,
          outId: messageId,
        }),
      );
      if (body?.code === 'OK') return { state: 'ACCEPTED', providerMessageId: body.bizId ?? null };
      return toFailure(errorCodeOf(body));
    } catch (error) {
      const { statusCode } = error as { statusCode?: number };
      const failure = toFailure(errorCodeOf(error));
      // Without a status, the API did not respond.
      return statusCode === undefined || statusCode >= 500 ? { ...failure, state: 'UNAVAILABLE' } : failure;
    }
  }

  parseReceipts({ body, token }: ReceiptCallback): SmsReceipt[] | undefined {
    if (!isReceiptToken(token, this.settings.receiptToken)) return undefined;
    return parseReceiptList(body)?.map(({ out_id, biz_id, success, err_code }) =>
      createReceipt(success === true, {
        messageId: shortText(out_id),
        providerMessageId: shortText(biz_id),
        errorCode: success === true ? null : shortText(err_code),
      }),
    );
  }
}

function toFailure(errorCode: string): Exclude<SmsOutcome, { state: 'ACCEPTED' }> {
  if (REJECTED_CODES.includes(errorCode)) return { state: 'REJECTED', errorCode };
  return { state: UNAVAILABLE_CODES.test(errorCode) ? 'UNAVAILABLE' : 'REFUSED', errorCode };
}
