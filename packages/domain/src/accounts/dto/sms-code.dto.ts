import { Id, Integer, OneOf } from '../../kernel/dto/fields.js';
import { SMS_SCENES } from '../contracts/sms-scene.js';
import type { SmsScene } from '../contracts/sms-scene.js';
import { AccountPhoneNumber, CallingCode } from './account-fields.js';

/** Asks for a code by SMS. */
export class SendSmsCodeDto {
  @CallingCode()
  areaCode!: string;

  @AccountPhoneNumber()
  phoneNumber!: string;

  @OneOf(SMS_SCENES, { description: 'What the code is for', example: 'SIGN_UP' })
  scene!: SmsScene;
}

/** The same for a phone with an account and for one without. */
export class SmsCodeSentDto {
  @Id({ description: 'Names the code in the operation it is for' })
  challengeId!: string;

  @Integer({ description: 'Seconds until the code expires', example: 300 })
  expiresIn!: number;

  @Integer({ description: 'Seconds after which a person may reasonably ask again', example: 60 })
  resendAfter!: number;
}
