import { UuidField, IntegerField, EnumField } from '../../kernel/dto/fields.js';
import { SMS_SCENES } from '../contracts/sms-scene.js';
import type { SmsScene } from '../contracts/sms-scene.js';
import { AccountPhoneNumberField, CallingCodeField, DeviceTokenField } from './account-fields.js';

/** Requests a code by SMS. */
export class SendSmsCodeDto {
  @CallingCodeField()
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;

  @EnumField(SMS_SCENES, { description: 'Purpose of the code', example: 'SIGN_UP' })
  scene!: SmsScene;

  @DeviceTokenField({ optional: true })
  deviceToken?: string;
}

/** The response is the same whether or not the phone number has an account. */
export class SmsCodeSentDto {
  @UuidField({ description: 'Identifies the code; send it together with the code' })
  challengeId!: string;

  @IntegerField({ description: 'Seconds until the code expires', example: 300 })
  expiresIn!: number;

  @IntegerField({
    description: 'Seconds to wait before requesting another code of this scene, unless this code has been used',
    example: 60,
  })
  resendAfter!: number;
}
