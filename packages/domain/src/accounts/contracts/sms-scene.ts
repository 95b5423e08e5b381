/** Purpose of an SMS code. A code is valid only for the scene for which it was requested. */
export const SMS_SCENES = {
  SIGN_UP: 'SIGN_UP',
  SIGN_IN: 'SIGN_IN',
  RESET_PASSWORD: 'RESET_PASSWORD',
  CHANGE_PHONE: 'CHANGE_PHONE',
  STEP_UP: 'STEP_UP',
} as const;

export type SmsScene = keyof typeof SMS_SCENES;
