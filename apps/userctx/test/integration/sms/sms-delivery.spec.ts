import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger } from '@family-watch/platform/observability/logger';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { SmsCodeService } from '../../../src/accounts/codes/sms-code.service.js';
import { ContactsService } from '../../../src/families/contacts/contacts.service.js';
import { signWebhookBody } from '../../../src/sms/providers/webhook.sms-provider.js';
import { SmsReceiptsService } from '../../../src/sms/sms-receipts.service.js';
import { SmsRejectedError } from '../../../src/sms/sms-errors.js';
import { SmsSender } from '../../../src/sms/sms-sender.service.js';
import { ALERT_SMS_JOB, AlertSmsService } from '../../../src/sos/alert-sms.service.js';
import { SOS_ESCALATION_JOB } from '../../../src/sos/sos-escalation.service.js';
import { SosEventHandlers } from '../../../src/sos/sos.event-handlers.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { IP_ADDRESS } from '../../support/accounts-test-environment.js';
import { createBoundFamily, outcomeOf } from '../../support/bound-family-fixture.js';
import { StandInServer, type StandInReaction } from '../../support/stand-in-server.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SECRET = 'the webhook secret of this suite';

interface WebhookSms {
  messageId: string;
  phoneNumber: string;
  scene: string;
  value: string;
}

interface SmsRow {
  message_id: string;
  provider: string;
  state: string;
  error_code: string | null;
}

let environment: WatchesTestEnvironment;
let app: NestFastifyApplication;
let codes: SmsCodeService;
let webhook: StandInServer;
/** Requests that the webhook received. */
const received: WebhookSms[] = [];
let reaction: StandInReaction;
let alertReaction: StandInReaction;
const logLines: string[] = [];
let phoneCount = 0;

beforeAll(async () => {
  webhook = await StandInServer.start(({ body }) => {
    const sms = JSON.parse(body) as WebhookSms;
    received.push(sms);
    return sms.scene === 'ALERT' ? alertReaction : reaction;
  });
  // Numbers of +44 go to the webhook and then to the file, all others to the file only.
  environment = await WatchesTestEnvironment.open({
    SMS_ROUTES: '+44=webhook',
    SMS_COUNTRY_LIMITS: '+86,+44,+7=0',
    RATE_LIMIT_SMS_COUNTRY: 2,
    SMS_WEBHOOK_URL: `${webhook.origin}/sms`,
    SMS_WEBHOOK_SECRET: SECRET,
  });
  const disabled = { disabledJobs: [ALERT_SMS_JOB, SOS_ESCALATION_JOB], isRelayDisabled: true } as const;
  const logger = createLogger('trace', 'suite', { write: (line) => void logLines.push(line) });
  app = await environment.application(disabled, logger);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  codes = app.get(SmsCodeService, { strict: false });
  // Creates the file.
  await sendCode(environment.uniquePhone());
});
beforeEach(() => {
  reaction = { status: 200, body: {} };
  alertReaction = reaction;
});
afterAll(async () => {
  await environment.close();
  await webhook.stop();
});

function britishPhone(): { areaCode: string; phoneNumber: string } {
  phoneCount += 1;
  return { areaCode: '+44', phoneNumber: `7911${String(phoneCount).padStart(6, '0')}` };
}

const sendCode = (phone: { areaCode: string; phoneNumber: string }, service = codes) =>
  service.send({ ...phone, scene: 'SIGN_UP' }, IP_ADDRESS);

const requestsTo = ({ phoneNumber }: { phoneNumber: string }) =>
  received.filter((sms) => sms.phoneNumber === phoneNumber);

const fileMessagesTo = async ({ phoneNumber }: { phoneNumber: string }) =>
  (await environment.sentMessages()).filter((sms) => sms['phoneNumber'] === phoneNumber);

const listRows = () => environment.query<SmsRow>('SELECT * FROM userctx.sms_message ORDER BY created_at, state', []);

async function findRow(messageId: string): Promise<SmsRow | undefined> {
  const [row] = await environment.query<SmsRow>('SELECT * FROM userctx.sms_message WHERE message_id = $1', [messageId]);
  return row;
}

async function postReceipt(receipt: object, secret = SECRET): Promise<number> {
  const payload = JSON.stringify(receipt);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/apis/v2/userctx/sms/receipt/webhook',
    payload,
    headers: {
      'content-type': 'application/json',
      'x-family-watch-timestamp': timestamp,
      'x-family-watch-signature': signWebhookBody(secret, timestamp, payload),
    },
  });
  return statusCode;
}

describe('an SMS with a code', () => {
  test('is sent by the provider of the country, and its receipt changes its state once', async () => {
    const phone = britishPhone();
    await sendCode(phone);
    const [sms] = requestsTo(phone);
    expect(sms).toMatchObject({ ...phone, scene: 'SIGN_UP', language: 'en', value: expect.stringMatching(/^\d{6}$/) });
    expect(await findRow(sms!.messageId)).toMatchObject({ provider: 'webhook', state: 'ACCEPTED' });
    expect(await postReceipt({ messageId: sms!.messageId, state: 'DELIVERED' })).toBe(200);
    expect(await postReceipt({ messageId: sms!.messageId, state: 'UNDELIVERED', errorCode: 'late' })).toBe(200);
    expect(await findRow(sms!.messageId)).toMatchObject({ state: 'DELIVERED', error_code: null });
    expect(await fileMessagesTo(phone)).toEqual([]);
  });

  test('is sent by the second provider when the first one fails', async () => {
    reaction = { status: 503, body: {} };
    const phone = britishPhone();
    const before = (await listRows()).length;
    await sendCode(phone);
    expect(await fileMessagesTo(phone)).toHaveLength(1);
    const added = (await listRows()).slice(before).map(({ provider, state }) => `${provider} ${state}`);
    expect(added.sort()).toEqual(['file ACCEPTED', 'webhook UNAVAILABLE']);
  });

  test('fails with SMS_REJECTED when the provider knows that the number cannot receive SMS', async () => {
    reaction = { status: 422, body: {} };
    const phone = britishPhone();
    expect(await outcomeOf(() => sendCode(phone))).toBe('SMS_REJECTED');
    expect(await fileMessagesTo(phone)).toEqual([]);
  });

  test.each([
    { areaCode: '+44', phoneNumber: '9098790000' },
    { areaCode: '+1', phoneNumber: '9005550123' },
    { areaCode: '+49', phoneNumber: '1371234567' },
  ])(
    'A42 fails with SMS_REJECTED for the premium number $areaCode $phoneNumber, and uses up no limit',
    async (phone) => {
      const countAttempts = () =>
        environment.query('SELECT sum(attempts) AS attempts FROM userctx.attempt_counter', []);
      const [before, rows] = [await countAttempts(), await listRows()];
      expect(await outcomeOf(() => sendCode(phone))).toBe('SMS_REJECTED');
      const direct = app.get(SmsSender, { strict: false });
      await expect(direct.send({ ...phone, scene: 'ALERT', category: 'SOS', time: 1 })).rejects.toThrow(
        SmsRejectedError,
      );
      expect(await countAttempts()).toEqual(before);
      expect(await listRows()).toEqual(rows);
      expect([...requestsTo(phone), ...(await fileMessagesTo(phone))]).toEqual([]);
    },
  );

  test('is stored without code and phone number', async () => {
    const phone = britishPhone();
    await sendCode(phone);
    const [sms] = requestsTo(phone);
    const text = JSON.stringify(await listRows());
    expect(text).toContain(sms!.messageId);
    expect(text).not.toContain(phone.phoneNumber);
    expect(text).not.toMatch(new RegExp(`"${sms!.value}"`));
  });

  test('is limited per country: not at all, to a number per hour, or to none', async () => {
    const phones = ['10', '11', '12'].map((digits) => `15123456${digits}0`);
    const outcomes = [];
    for (const phoneNumber of phones) outcomes.push(await outcomeOf(() => sendCode({ areaCode: '+49', phoneNumber })));
    expect(outcomes).toEqual(['ok', 'ok', 'RATE_LIMITED']);
    expect(await outcomeOf(() => sendCode({ areaCode: '+7', phoneNumber: '9161234567' }))).toBe('RATE_LIMITED');
    for (let count = 0; count < 3; count += 1) expect(await outcomeOf(() => sendCode(britishPhone()))).toBe('ok');
  });

  test('is sent by the next provider when a provider hangs, which is then skipped', async () => {
    reaction = 'hang';
    const slow = await environment.replica({ SMS_TIMEOUT: 500 }, { isEventBusDisabled: true });
    const service = slow.get(SmsCodeService, { strict: false });
    await Promise.all(Array.from({ length: 8 }, () => sendCode(britishPhone(), service)));
    const phone = britishPhone();
    await sendCode(phone, service);
    expect(requestsTo(phone)).toEqual([]);
    expect(await fileMessagesTo(phone)).toHaveLength(1);
    await environment.closeReplica(slow);
  });

  test('that waits for a provider that hangs delays no alert and no code of another provider', async () => {
    reaction = 'hang';
    const slow = await environment.replica({ SMS_TIMEOUT: 60_000 }, { isEventBusDisabled: true });
    const service = slow.get(SmsCodeService, { strict: false });
    const before = received.length;
    const waiting = Array.from({ length: 30 }, () => sendCode(britishPhone(), service));
    // No more than 24 codes are sent to one provider at a time.
    await waitUntil('the provider has received 24 codes', () => received.length === before + 24);
    const alert = { ...britishPhone(), scene: 'ALERT', category: 'SOS', time: Date.now() } as const;
    await slow.get(SmsSender, { strict: false }).send(alert);
    await sendCode(environment.uniquePhone(), service);
    expect(received.slice(before).map(({ scene }) => scene)).toEqual([
      ...Array.from({ length: 24 }, () => 'SIGN_UP'),
      'ALERT',
    ]);
    reaction = { status: 503, body: {} };
    webhook.dropConnections();
    await Promise.all(waiting);
    await environment.closeReplica(slow);
  });

  test('loses its state seven days after it was sent', async () => {
    const phone = britishPhone();
    await sendCode(phone);
    const { messageId } = requestsTo(phone)[0]!;
    const receipts = app.get(SmsReceiptsService, { strict: false });
    await receipts.deleteOld(Date.now() + 6.9 * 86_400_000);
    expect(await findRow(messageId)).toBeDefined();
    await receipts.deleteOld(Date.now() + 7.1 * 86_400_000);
    expect(await findRow(messageId)).toBeUndefined();
  });
});

describe('a receipt', () => {
  test.each([
    ['of the webhook with another secret', 'webhook', {}],
    ['of Twilio, which is not in use', 'twilio?messageId=1', { 'x-twilio-signature': 'c2lnbmF0dXJl' }],
    ['of Alibaba Cloud, which is not in use', 'aliyun/receipt-token-of-nobody-0123456789abc', {}],
    ['of Tencent Cloud, which is not in use', 'tencentcloud/receipt-token-of-nobody-0123456789abc', {}],
  ])('%s is rejected with FORBIDDEN', async (_, path, headers) => {
    const url = `/apis/v2/userctx/sms/receipt/${path}`;
    const { statusCode, body } = await app.inject({ method: 'POST', url, payload: '[]', headers });
    expect(statusCode).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ reason: 'FORBIDDEN' });
  });

  test('that is longer than 64 KiB is rejected, and other operations reject its media type', async () => {
    const payload = Buffer.alloc(64 * 1024 + 1, 'a');
    const receipt = { method: 'POST', url: '/apis/v2/userctx/sms/receipt/webhook', payload } as const;
    expect((await app.inject(receipt)).statusCode).toBe(413);
    for (const type of ['application/vnd.family-watch.raw', 'application/x-www-form-urlencoded']) {
      const signIn = { ...receipt, url: '/apis/v2/userctx/user/account/sign-in', payload: 'a=b' };
      expect((await app.inject({ ...signIn, headers: { 'content-type': type } })).statusCode).toBe(415);
    }
  });

  test('with an unknown id is accepted and ignored', async () => {
    const before = await listRows();
    expect(await postReceipt({ messageId: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10', state: 'UNDELIVERED' })).toBe(200);
    expect(await postReceipt({ messageId: 'no id', state: 'DELIVERED' })).toBe(200);
    expect(await listRows()).toEqual(before);
  });
});

describe('the SMS of an SOS', () => {
  /** Raises an SOS and queues its SMS to a contact whose number the webhook serves. */
  async function raiseSos() {
    const family = await createBoundFamily(environment, app);
    const phone = britishPhone();
    const contact = { deviceId: family.watch.did, name: 'Oma', ...phone };
    const { refId } = await app.get(ContactsService, { strict: false }).create(family.owner, contact);
    const { sosId } = await app.get(SosService, { strict: false }).raise(family.watch.principal, {});
    const { familyId, cid } = family;
    const alert = { familyId, cid, subjectId: sosId, category: 'SOS', time: Date.now(), queuedAt: Date.now() } as const;
    await app.get(AlertSmsService, { strict: false }).enqueue(alert, [refId]);
    await app.get(AlertSmsService, { strict: false }).sendAllDue();
    return { ...family, refId, phone, sosId, sms: requestsTo(phone)[0]! };
  }

  /** Handles the published reports about undelivered SMS of the family, as the event consumer does. */
  async function handleUndelivered(familyId: string): Promise<number> {
    const events = await environment.events('userctx.sms.undelivered', familyId);
    for (const payload of events) {
      const event = { name: 'userctx.sms.undelivered', payload } as never;
      await app
        .get(UserctxUnitOfWork)
        .run(() => app.get(SosEventHandlers, { strict: false }).sendUndeliveredSmsAgain(event));
    }
    await app.get(AlertSmsService, { strict: false }).sendAllDue();
    return events.length;
  }

  test('goes to the other provider once when it was not delivered', async () => {
    const { familyId, phone, sms } = await raiseSos();
    expect(sms).toMatchObject({ scene: 'ALERT', value: expect.stringMatching(/^\d\d:\d\d$/) });
    for (let count = 0; count < 2; count += 1)
      expect(await postReceipt({ messageId: sms.messageId, state: 'UNDELIVERED', errorCode: 'absent' })).toBe(200);
    expect(await handleUndelivered(familyId)).toBe(1);
    expect(await fileMessagesTo(phone)).toEqual([expect.objectContaining({ scene: 'ALERT', category: 'SOS' })]);
    expect(requestsTo(phone)).toHaveLength(1);
  });

  test('is not sent again by a late receipt: another provider has sent it, or a later SMS, meanwhile', async () => {
    alertReaction = { status: 503, body: {} };
    const failed = await raiseSos();
    expect(await fileMessagesTo(failed.phone)).toHaveLength(1);
    await postReceipt({ messageId: failed.sms.messageId, state: 'UNDELIVERED', errorCode: 'absent' });
    expect(await handleUndelivered(failed.familyId)).toBe(0);

    alertReaction = { status: 200, body: {} };
    const { familyId, cid, refId, phone, sosId } = await raiseSos();
    const alert = { familyId, cid, subjectId: sosId, category: 'SOS', time: 1, queuedAt: Date.now() } as const;
    await app.get(AlertSmsService, { strict: false }).enqueue(alert, [refId]);
    await app.get(AlertSmsService, { strict: false }).sendAllDue();
    const [older, newer] = requestsTo(phone);
    for (const sms of [older, newer, newer])
      await postReceipt({ messageId: sms?.messageId, state: 'UNDELIVERED', errorCode: 'absent' });
    expect(await handleUndelivered(familyId)).toBe(1);
    expect(await fileMessagesTo(phone)).toHaveLength(1);
  });

  test('is not sent again after the SOS was acknowledged', async () => {
    const { familyId, cid, owner, phone, sms, sosId } = await raiseSos();
    await postReceipt({ messageId: sms.messageId, state: 'UNDELIVERED', errorCode: 'absent' });
    await app.get(SosService, { strict: false }).acknowledge(owner, { cid, sosId });
    expect(await handleUndelivered(familyId)).toBe(1);
    expect(await fileMessagesTo(phone)).toEqual([]);
  });

  test('is sent by the second provider although the first one considers the number invalid', async () => {
    alertReaction = { status: 422, body: {} };
    const { phone } = await raiseSos();
    expect(await fileMessagesTo(phone)).toHaveLength(1);
  });

  test('leaves no row after the erasure of the child', async () => {
    const { familyId, cid, sms } = await raiseSos();
    expect(await findRow(sms.messageId)).toBeDefined();
    const event = { name: 'userctx.child.erased', payload: { familyId, cid } } as never;
    await app.get(UserctxUnitOfWork).run(() => app.get(SosEventHandlers, { strict: false }).eraseChildSos(event));
    expect(await findRow(sms.messageId)).toBeUndefined();
  });
});

test('no log line contains the phone number, the code or the text of an SMS', () => {
  const text = logLines.join('');
  expect(text).toContain('SMS not accepted');
  for (const { phoneNumber, value, scene } of received) {
    expect(text).not.toContain(phoneNumber);
    if (scene !== 'ALERT') expect(text).not.toContain(`"${value}"`);
  }
});
