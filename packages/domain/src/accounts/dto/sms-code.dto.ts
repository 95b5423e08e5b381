import { UuidField, IntegerField, EnumField } from '../../kernel/dto/fields.js';
import { SMS_SCENES } from '../contracts/sms-scene.js';
import type { SmsScene } from '../contracts/sms-scene.js';
import { AccountPhoneNumberField, CallingCodeField } from './account-fields.js';

/** Asks for a code by SMS. */
export class SendSmsCodeDto {
  @CallingCodeField()
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;

  @EnumField(SMS_SCENES, { description: 'What the code is for', example: 'SIGN_UP' })
  scene!: SmsScene;
}

/** The same for a phone with an account and for one without. */
export class SmsCodeSentDto {
  @UuidField({ description: 'Names the code in the operation it is for' })
  challengeId!: string;

  @IntegerField({ description: 'Seconds until the code expires', example: 300 })
  expiresIn!: number;

  @IntegerField({ description: 'Seconds after which a person may reasonably ask again', example: 60 })
  resendAfter!: number;
}
