import type { INestApplicationContext } from '@nestjs/common';
import { SmsSender } from '../../src/contexts/accounts/codes/sms-sender.js';
import type { AlertSms, SmsMessage } from '../../src/contexts/accounts/codes/sms-sender.js';

/** Takes the alerts that a process sends to phones; codes go their way. */
export class RecordedAlerts {
  readonly alerts: AlertSms[] = [];
  /** The provider is away. */
  failing = false;
  /** What happens while the provider takes one. */
  meanwhile: (() => Promise<void>) | undefined;

  constructor(replica: INestApplicationContext) {
    const sender = replica.get(SmsSender, { strict: false });
    const send = sender.send.bind(sender);
    sender.send = (message) => (message.scene === 'ALERT' ? this.take(message) : send(message));
  }

  to(phoneNumber: string): AlertSms[] {
    return this.alerts.filter((alert) => alert.phoneNumber === phoneNumber);
  }

  private async take(message: Extract<SmsMessage, { scene: 'ALERT' }>): Promise<void> {
    await this.meanwhile?.();
    if (this.failing) throw new Error('away');
    this.alerts.push(message);
  }
}
