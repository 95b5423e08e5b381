import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { SmsAlert, SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import type { Phone } from '@family-watch/domain/accounts/contracts/account';
import { canReceiveSms } from '@family-watch/domain/accounts/dto/phone-fields';
import { Environment } from '@family-watch/platform/config/environment';
import { counter } from '@family-watch/platform/observability/instruments';
import { CircuitBreaker } from '@family-watch/platform/concurrency/circuit-breaker';
import { Semaphore } from '@family-watch/platform/concurrency/semaphore';
import { currentWork } from '@family-watch/platform/concurrency/work-priority';
import { errorCodeOf, type SmsOutcome, type SmsProvider } from './providers/sms-provider.js';
import { SmsProviderRegistryService } from './providers/sms-provider-registry.service.js';
import { SmsRejectedError, SmsUnavailableError } from './sms-errors.js';
import { SmsMessageRepository } from './sms-message.repository.js';
import { smsLanguageOf, type SmsMessage } from './sms-message.js';

/**
 * Requests to one provider at a time, per process. Alerts are sent before codes, and each has a reserve, so that with a
 * slow provider neither delays the other. One family, or one address of callers, cannot occupy the requests of all.
 */
const SLOT_LIMITS = {
  alert: { running: 32, reserved: 8, perOwner: { running: 8, waiting: 100 } },
  code: { running: 24, reserved: 8, waiting: 200, perOwner: { running: 8, waiting: 50 } },
} as const;
/** Milliseconds that an SMS waits for other SMS before the next provider is tried. */
const SLOT_TIMEOUT_MS = 2_000;
/** Milliseconds beyond SMS_TIMEOUT after which a request has failed, although its library has not noticed it. */
const DEADLINE_MARGIN_MS = 1_000;
/** A provider that failed so often in a row gets no SMS during the pause, unless there is no other for an alert. */
const CIRCUIT_OPTIONS = { maxFailures: 5, pauseMs: 30_000, maxConcurrent: Infinity };

const REFUSED_NUMBERS = counter(
  'sms_refused_numbers_total',
  'SMS that were not sent because of the type of the number.',
  ['app', 'scene'],
);

/** What an alert SMS is about, for its text and for sending it again. */
export interface SmsAlertContext {
  alert: SmsAlert;
  /** IANA name of the child's time zone. */
  timeZone: string;
  /** The provider whose SMS about this alert did not reach the phone. */
  avoidedProvider: SmsProviderName | null;
}

interface ProviderState {
  slots: Semaphore<keyof typeof SLOT_LIMITS>;
  circuit: CircuitBreaker;
}

/** A provider did not respond in time or is out of order. */
class ProviderUnavailableError extends Error {
  constructor(readonly outcome: SmsOutcome) {
    super('The SMS provider is unavailable');
  }
}

function unavailableOutcomeOf(error: unknown): SmsOutcome {
  return error instanceof ProviderUnavailableError
    ? error.outcome
    : { state: 'UNAVAILABLE', errorCode: errorCodeOf(error) };
}

const PROVIDER_PAUSED = { state: 'UNAVAILABLE', errorCode: 'PROVIDER_PAUSED' } as const;
const PROVIDER_BUSY = { state: 'UNAVAILABLE', errorCode: 'PROVIDER_BUSY' } as const;
const TIMEOUT = { state: 'UNAVAILABLE', errorCode: 'TIMEOUT' } as const;

/** Sends an SMS by the first provider for its country that accepts it. Neither phone numbers nor texts are logged. */
@Injectable()
export class SmsSender {
  private readonly logger = new Logger(SmsSender.name);
  private readonly states = new Map<SmsProviderName, ProviderState>();
  private readonly deadlineMs: number;

  constructor(
    { SMS_TIMEOUT }: Environment,
    private readonly registry: SmsProviderRegistryService,
    private readonly messages: SmsMessageRepository,
  ) {
    this.deadlineMs = SMS_TIMEOUT + DEADLINE_MARGIN_MS;
  }

  /**
   * Rejects numbers whose type earns money for their owner, such as premium rates. Must also be called before an SMS is
   * counted, so that refused SMS do not use up the limits of others.
   * @throws SmsRejectedError
   */
  assertCanReceive(phone: Phone, scene: SmsMessage['scene']): void {
    if (canReceiveSms(phone)) return;
    REFUSED_NUMBERS.inc({ app: 'userctx', scene });
    throw new SmsRejectedError('NUMBER_TYPE');
  }

  /**
   * Resolves when a provider has accepted the message. Takes at most twice SMS_TIMEOUT and some seconds.
   * @throws SmsRejectedError, SmsUnavailableError
   */
  async send(message: SmsMessage, context?: SmsAlertContext): Promise<void> {
    this.assertCanReceive(message, message.scene);
    const chain = this.registry.chainFor(message.areaCode);
    const others = chain.filter(({ name }) => name !== context?.avoidedProvider);
    const providers = others.length > 0 ? others : chain;
    let errorCode = 'NO_PROVIDER';
    for (const [index, provider] of providers.entries()) {
      const isLast = index === providers.length - 1;
      const outcome = await this.attempt(provider, message, context, isLast);
      if (outcome.state === 'ACCEPTED') return;
      // The second provider also tries to send an alert, because the first one may be wrong about the phone number.
      if (outcome.state === 'REJECTED' && (isLast || message.scene !== 'ALERT'))
        throw new SmsRejectedError(outcome.errorCode);
      ({ errorCode } = outcome);
    }
    throw new SmsUnavailableError(errorCode);
  }

  private async attempt(
    provider: SmsProvider,
    message: SmsMessage,
    context: SmsAlertContext | undefined,
    isLast: boolean,
  ): Promise<SmsOutcome> {
    const { slots, circuit } = this.stateOf(provider.name);
    const isAlert = message.scene === 'ALERT';
    const release = await slots
      .acquire(isAlert ? 'alert' : 'code', {
        owner: context?.alert.familyId ?? currentWork().owner,
        ms: SLOT_TIMEOUT_MS,
        error: () => new SmsUnavailableError('BUSY'),
      })
      .catch(() => undefined);
    if (!release) return PROVIDER_BUSY;
    try {
      return await this.submit(provider, message, context, async (send) => {
        const result = await circuit.run(send).catch((error: unknown) => unavailableOutcomeOf(error));
        return result ?? (isAlert && isLast ? send().catch(unavailableOutcomeOf) : PROVIDER_PAUSED);
      });
    } finally {
      release();
    }
  }

  /** Stores the SMS before the request, so that a receipt finds it, and the provider's response after it. */
  private async submit(
    provider: SmsProvider,
    message: SmsMessage,
    context: SmsAlertContext | undefined,
    run: (send: () => Promise<SmsOutcome>) => Promise<SmsOutcome>,
  ): Promise<SmsOutcome> {
    const { scene, areaCode } = message;
    const messageId = randomUUID();
    // An alert that another provider has sent before is not sent a third time.
    const alert = context?.avoidedProvider === null ? context.alert : null;
    await this.messages.insert({ messageId, provider: provider.name, scene, areaCode, alert }, Date.now());
    const value = valueOf(message, context);
    const outcome = await run(() => this.sendWithinDeadline(provider, { messageId, message, value }));
    await this.messages.recordOutcome(messageId, outcome, Date.now()).catch((error: unknown) => {
      // The SMS may have been sent, so the caller must not send it again.
      this.logger.error({ msg: 'SMS outcome not stored', messageId, err: error });
    });
    if (outcome.state !== 'ACCEPTED')
      this.logger.warn({ msg: 'SMS not accepted', provider: provider.name, messageId, scene, ...outcome });
    return outcome;
  }

  /** @throws ProviderUnavailableError, which counts for the provider's circuit breaker */
  private async sendWithinDeadline(
    provider: SmsProvider,
    sms: { messageId: string; message: SmsMessage; value: string },
  ): Promise<SmsOutcome> {
    const deadline = new AbortController();
    try {
      const outcome = await Promise.race([
        provider.send({ ...sms, language: smsLanguageOf(sms.message.areaCode) }),
        sleep(this.deadlineMs, TIMEOUT, { signal: deadline.signal }),
      ]);
      if (outcome.state === 'UNAVAILABLE') throw new ProviderUnavailableError(outcome);
      return outcome;
    } finally {
      deadline.abort();
    }
  }

  private stateOf(name: SmsProviderName): ProviderState {
    const state = this.states.get(name) ?? {
      slots: new Semaphore(SLOT_LIMITS),
      circuit: new CircuitBreaker(CIRCUIT_OPTIONS),
    };
    this.states.set(name, state);
    return state;
  }
}

/** Returns the variable of the text: the code, or the time of the alert where the child is. */
function valueOf(message: SmsMessage, context: SmsAlertContext | undefined): string {
  if (message.scene !== 'ALERT') return message.code;
  const format = {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: context?.timeZone ?? 'UTC',
  } as const;
  return new Intl.DateTimeFormat('en-GB', format).format(message.time);
}
