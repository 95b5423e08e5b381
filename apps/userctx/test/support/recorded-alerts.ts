import type { INestApplicationContext } from '@nestjs/common';
import type { AlertSms, SmsMessage } from '../../src/sms/sms-message.js';
import { SmsSender } from '../../src/sms/sms-sender.service.js';

/** Records the alert SMS of a replica instead of sending them. SMS with codes are sent as usual. */
export class RecordedAlerts {
  readonly alerts: AlertSms[] = [];
  /** Whether the simulated SMS provider is unavailable. */
  isFailing = false;
  /** Callback that runs while the simulated SMS provider receives an alert. */
  onReceive: (() => Promise<void>) | undefined;

  constructor(replica: INestApplicationContext) {
    const sender = replica.get(SmsSender, { strict: false });
    const send = sender.send.bind(sender);
    sender.send = (message, context) => (message.scene === 'ALERT' ? this.record(message) : send(message, context));
  }

  sentTo(phoneNumber: string): AlertSms[] {
    return this.alerts.filter((alert) => alert.phoneNumber === phoneNumber);
  }

  private async record(message: Extract<SmsMessage, { scene: 'ALERT' }>): Promise<void> {
    await this.onReceive?.();
    if (this.isFailing) throw new Error('The simulated SMS provider is unavailable');
    this.alerts.push(message);
  }
}
