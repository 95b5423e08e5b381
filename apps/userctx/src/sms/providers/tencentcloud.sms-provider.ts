import tencentcloud from 'tencentcloud-sdk-nodejs-sms/tencentcloud/services/sms/v20210111/sms_client.js';
import { toE164 } from '../sms-message.js';
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

export interface TencentcloudSettings {
  secretId: string;
  secretKey: string;
  /** SdkAppId of the application. */
  appId: string;
  signName: string;
  templates: SmsTemplates;
  region: string;
  /** Secret of the URL for receipts. */
  receiptToken?: string;
  timeoutMs: number;
}

/** The number is not a phone number that can receive SMS. */
const REJECTED_CODES = ['InvalidParameterValue.IncorrectPhoneNumber'];
/** Errors of the account, of its permissions or of the API, which concern every SMS. */
const UNAVAILABLE_CODES =
  /^(AuthFailure.*|InternalError.*|RequestLimitExceeded.*|UnauthorizedOperation.*|FailedOperation\.InsufficientBalanceInSmsPackage|ResourceInsufficient.*)$/;

/** Tencent Cloud SMS, through its library. */
export class TencentcloudSmsProvider implements SmsProvider {
  readonly name = 'tencentcloud';
  private readonly client: InstanceType<typeof tencentcloud.Client>;

  /** @param url - URL of the API without path */
  constructor(
    private readonly settings: TencentcloudSettings,
    url = new URL('https://sms.tencentcloudapi.com'),
  ) {
    const { secretId, secretKey, region, timeoutMs } = settings;
    const httpProfile = { endpoint: url.host, protocol: `${url.protocol}//`, reqTimeout: timeoutMs / 1_000 };
    this.client = new tencentcloud.Client({ credential: { secretId, secretKey }, region, profile: { httpProfile } });
  }

  async send({ messageId, message, language, value }: OutgoingSms): Promise<SmsOutcome> {
    const { appId, signName, templates } = this.settings;
    try {
      const { SendStatusSet: [status] = [] } = await this.client.SendSms({
        PhoneNumberSet: [toE164(message)],
        SmsSdkAppId: appId,
        SignName: signName,
        TemplateId: templates.find(message.scene, language) ?? '',
        TemplateParamSet: [value],
        SessionContext: messageId,
      });
      if (status?.Code === 'Ok') return { state: 'ACCEPTED', providerMessageId: status.SerialNo ?? null };
      return toFailure(errorCodeOf({ code: status?.Code }));
    } catch (error) {
      // The library sets a code only if the API responded with an error.
      const hasResponse = typeof (error as { code?: unknown }).code === 'string';
      return hasResponse ? toFailure(errorCodeOf(error)) : { state: 'UNAVAILABLE', errorCode: errorCodeOf(error) };
    }
  }

  /** The receipts name the serial number only. */
  parseReceipts({ body, token }: ReceiptCallback): SmsReceipt[] | undefined {
    if (!isReceiptToken(token, this.settings.receiptToken)) return undefined;
    return parseReceiptList(body)?.map(({ sid, report_status, errmsg }) => {
      const isDelivered = report_status === 'SUCCESS';
      return createReceipt(isDelivered, {
        providerMessageId: shortText(sid),
        errorCode: isDelivered ? null : shortText(errmsg),
      });
    });
  }
}

function toFailure(errorCode: string): SmsOutcome {
  if (REJECTED_CODES.includes(errorCode)) return { state: 'REJECTED', errorCode };
  return { state: UNAVAILABLE_CODES.test(errorCode) ? 'UNAVAILABLE' : 'REFUSED', errorCode };
}
